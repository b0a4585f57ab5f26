package dev.pitcrew.testbed.binaries;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.pitcrew.testbed.binaries.BinarySource.Attempt;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReleaseDownloadTest {
  private static final byte[] PROGRAM = "a program".getBytes(StandardCharsets.US_ASCII);
  private final HttpServer site;
  @TempDir private Path folder;

  ReleaseDownloadTest() throws IOException {
    site = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    site.start();
  }

  @AfterEach
  void closeTheSite() {
    site.stop(0);
  }

  @Test
  void aKubernetesProgramComesWithABareChecksum() throws Exception {
    var path = "/release/v%s/bin/linux/amd64/kubectl".formatted(Binary.KUBECTL.version());
    publish(path, PROGRAM);
    publish(path + ".sha256", text(sha256(PROGRAM)));

    assertThat(Files.readAllBytes(downloaded(Binary.KUBECTL))).isEqualTo(PROGRAM);
    assertThat(downloaded(Binary.KUBECTL)).isExecutable();
  }

  @Test
  void etcdIsUnpackedFromItsArchive() throws Exception {
    var name = "etcd-v%s-linux-amd64".formatted(Binary.ETCD.version());
    var releases = "/etcd-io/etcd/releases/download/v%s/".formatted(Binary.ETCD.version());
    var archive = archiveWith(name + "/etcd");
    publish(releases + name + ".tar.gz", archive);
    publish(
        releases + "SHA256SUMS",
        text("%s  other\n%s  %s.tar.gz\n".formatted("0".repeat(64), sha256(archive), name)));

    assertThat(Files.readAllBytes(downloaded(Binary.ETCD))).isEqualTo(PROGRAM);
  }

  @Test
  void containerdAndNetworkPluginsAreUnpackedFromTheirArchives() throws Exception {
    var containerd = Binary.CTR.version();
    publishArchive(
        "/containerd/containerd/releases/download/v%s/containerd-%s-linux-amd64.tar.gz"
            .formatted(containerd, containerd),
        "bin/ctr",
        ".sha256sum");
    var plugins = Binary.CNI_BRIDGE.version();
    publishArchive(
        "/containernetworking/plugins/releases/download/v%s/cni-plugins-linux-amd64-v%s.tgz"
            .formatted(plugins, plugins),
        "./bridge",
        ".sha256");

    assertThat(Files.readAllBytes(downloaded(Binary.CTR))).isEqualTo(PROGRAM);
    assertThat(Files.readAllBytes(downloaded(Binary.CNI_BRIDGE))).isEqualTo(PROGRAM);
  }

  @Test
  void runcIsAFileBesideItsChecksum() throws Exception {
    var releases = "/opencontainers/runc/releases/download/v%s/".formatted(Binary.RUNC.version());
    publish(releases + "runc.amd64", PROGRAM);
    publish(
        releases + "runc.sha256sum",
        text("%s runc.arm64\n%s runc.amd64\n".formatted("0".repeat(64), sha256(PROGRAM))));

    assertThat(Files.readAllBytes(downloaded(Binary.RUNC))).isEqualTo(PROGRAM);
  }

  @Test
  void theChecksumOfKwokIsInItsRelease() throws Exception {
    var version = Binary.KWOK.version();
    var project = "/kubernetes-sigs/kwok/releases";
    publish("%s/download/v%s/kwok-linux-amd64".formatted(project, version), PROGRAM);
    publish(
        "/repos%s/tags/v%s".formatted(project, version),
        text(
            """
            {"assets": [
              {"name": "kwokctl-linux-amd64", "uploader": {"id": 1}, "digest": "sha256:0"},
              {"name": "kwok-linux-amd64", "uploader": {"id": 1}, "digest": "sha256:%s"}]}
            """
                .formatted(sha256(PROGRAM))));

    assertThat(Files.readAllBytes(downloaded(Binary.KWOK))).isEqualTo(PROGRAM);
  }

  @Test
  void aFileWithAnotherChecksumIsRefused() throws Exception {
    var path = "/release/v%s/bin/linux/amd64/kubectl".formatted(Binary.KUBECTL.version());
    publish(path, PROGRAM);
    publish(path + ".sha256", text("0".repeat(64)));

    assertThat(refusal(Binary.KUBECTL)).contains("its SHA-256 is " + sha256(PROGRAM));
    assertThat(cache().pathOf(Binary.KUBECTL)).doesNotExist();
  }

  @Test
  void aFileWithoutAChecksumIsRefused() {
    var path = "/release/v%s/bin/linux/amd64/kubectl".formatted(Binary.KUBECTL.version());
    publish(path, PROGRAM);
    publish(path + ".sha256", text("not found"));

    assertThat(refusal(Binary.KUBECTL)).contains("names no SHA-256 for it");
  }

  private Path downloaded(Binary binary) {
    return ((Attempt.Found) download().obtain(binary, _ -> {})).path();
  }

  private String refusal(Binary binary) {
    return ((Attempt.NotHere) download().obtain(binary, _ -> {})).reason();
  }

  private ReleaseDownload download() {
    var base = "http://127.0.0.1:" + site.getAddress().getPort();
    return new ReleaseDownload(new ReleaseSites(base, base, base, "linux", "amd64"), cache());
  }

  private BinaryCache cache() {
    return new BinaryCache(folder.resolve("cache"));
  }

  private void publish(String path, byte[] content) {
    site.createContext(
        path,
        exchange -> {
          var isIt = exchange.getRequestURI().getPath().equals(path);
          exchange.sendResponseHeaders(isIt ? 200 : 404, isIt ? content.length : -1);
          try (var body = exchange.getResponseBody()) {
            body.write(isIt ? content : new byte[0]);
          }
        });
  }

  private void publishArchive(String path, String entry, String checksumSuffix) throws Exception {
    var archive = archiveWith(entry);
    publish(path, archive);
    var name = path.substring(path.lastIndexOf('/') + 1);
    publish(path + checksumSuffix, text(sha256(archive) + "  " + name + "\n"));
  }

  private byte[] archiveWith(String entry) throws IOException {
    var file = folder.resolve(entry);
    Files.createDirectories(file.resolveSibling("."));
    Files.write(file, PROGRAM);
    var archive = folder.resolve("archive.tar.gz");
    var run = CommandRun.of(List.of("tar", "-czf", archive.toString(), entry), folder);
    assertThat(run.succeeded()).as(run.output()).isTrue();
    return Files.readAllBytes(archive);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String sha256(byte[] content) throws GeneralSecurityException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }
}
