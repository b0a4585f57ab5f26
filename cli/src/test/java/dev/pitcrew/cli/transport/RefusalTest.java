package dev.pitcrew.cli.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.transport.Refusal.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What kubectl's errors mean.
class RefusalTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1   | FORBIDDEN   | Error from server (Forbidden): gpunodes.pitcrew.dev is forbidden: User \"system:serviceaccount:ml:me\" cannot list resource \"gpunodes\" in API group \"pitcrew.dev\" at the cluster scope | system:serviceaccount:ml:me may not list gpunodes.pitcrew.dev: an administrator allows it with",
        "1   | FORBIDDEN   | Error from server (Forbidden): gpunodes.pitcrew.dev is forbidden: User \"system:serviceaccount:ml:me\" cannot list resource \"gpunodes\" in API group \"pitcrew.dev\" at the cluster scope | --serviceaccount=ml:me",
        "1   | FORBIDDEN   | Error from server (Forbidden): pods \"p\" is forbidden: User \"eve\" cannot get resource \"pods\" in API group \"\" in the namespace \"ml\" | eve may not get pods in namespace ml: an",
        "1   | FORBIDDEN   | Error from server (Forbidden): pods \"p\" is forbidden: User \"eve\" cannot get resource \"pods/log\" in API group \"\" in the namespace \"ml\" | kubectl create role gpu-viewer-pods-log -n ml --verb=get --resource=pods/log and kubectl create rolebinding gpu-viewer-pods-log -n ml --role=gpu-viewer-pods-log --user=eve",
        "1   | FORBIDDEN   | Error from server (Forbidden): nodes \"n\" is forbidden: User \"eve\" cannot patch resource \"nodes\" in API group \"\" at the cluster scope | kubectl create clusterrole gpu-patch-nodes --verb=get,patch --resource=nodes and",
        "1   | FORBIDDEN   | error: You must be logged in to the server (Unauthorized) | does not accept your credentials",
        "1   | NOT_FOUND   | Error from server (NotFound): the server could not find the requested resource | the server could not find",
        "1   | UNREACHABLE | The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port? | 127.0.0.1:1 was refused",
        "1   | UNREACHABLE | Unable to connect to the server: net/http: request canceled (Client.Timeout exceeded while awaiting headers) | --request-timeout=60s",
        "137 | UNREACHABLE | '' | no answer within 5 s",
        "1   | WRONG_INPUT | error: context \"x\" does not exist | context \"x\" does not exist",
        "1   | FAILED      | Error from server (InternalError): an error on the server | an error on the server",
        "130 | INTERRUPTED | '' | ''",
        "1   | WRONG_INPUT | error: EOF | has no user for this server",
        "1   | UNREACHABLE | getting credentials: exec: executable gke-gcloud-auth-plugin failed with exit code 1 | gke-gcloud-auth-plugin failed",
        "1   | UNREACHABLE | '' | ended without a message",
      })
  void errorsAreSorted(int code, Kind kind, String errors, String message) {
    Refusal refusal = Refusal.of("W1129 some warning\n" + errors, code, "5 s");

    assertThat(refusal.kind()).isEqualTo(kind);
    assertThat(errors.isEmpty() && code == 1 ? Refusal.of("", 1, "").message() : refusal.message())
        .contains(message);
  }

  @Test
  void programInAPod_saysItself() {
    assertThat(Refusal.of("There is no NVIDIADriver x\ncommand terminated with exit code 1", 1, ""))
        .isEqualTo(new Refusal(Kind.FAILED, "There is no NVIDIADriver x"));
  }
}
