package dev.pitcrew.kube.apply;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.client.KubernetesJson;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldSetTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          # fields owned                          | as answered                  | as it is now                         | same
          {'f:a':{}}                              | {'a':1}                      | {'a':1,'b':2}                        | true
          {'f:a':{}}                              | {'a':1}                      | {'a':2}                              | false
          {'f:a':{}}                              | {'a':1}                      | {}                                   | false
          {'f:a':{'f:b':{}}}                      | {'a':{'b':1}}                | {'a':{'b':1,'c':1}}                  | true
          {'f:a':{'f:b':{}}}                      | {'a':{'b':1}}                | {'a':{'c':1}}                        | false
          {'f:m':{}}                              | {'m':{'k':'v','l':'w'}}      | {'m':{'l':'w','k':'v'}}              | true
          {'f:m':{}}                              | {'m':{'k':'v'}}              | {'m':{'k':'v','x':'y'}}              | false
          {'f:m':{}}                              | {'m':{}}                     | {'m':{'x':'y'}}                      | true
          {'f:m':{}}                              | {'m':{}}                     | {}                                   | false
          {'f:m':{'.':{}}}                        | {'m':{'x':'y'}}              | {'m':{'z':1}}                        | true
          {'f:l':{}}                              | {'l':[1,2]}                  | {'l':[2,1]}                          | false
          {'f:l':{'i:0':{}}}                      | {'l':[1,2]}                  | {'l':[1,3]}                          | true
          {'f:l':{'v:"x"':{}}}                    | {'l':['x']}                  | {'l':['y','x']}                      | true
          {'f:l':{'v:"x"':{}}}                    | {'l':['x']}                  | {'l':['y']}                          | false
          {'f:l':{'k:{"n":"a"}':{'.':{},'f:v':{}}}} | {'l':[{'n':'a','v':1}]}    | {'l':[{'n':'b','v':2},{'n':'a','v':1}]} | true
          {'f:l':{'k:{"n":"a"}':{'.':{},'f:v':{}}}} | {'l':[{'n':'a','v':1}]}    | {'l':[{'n':'a','v':2}]}              | false
          {'f:l':{'k:{"n":"a"}':{'.':{},'f:v':{}}}} | {'l':[{'n':'a','v':1}]}    | {'l':[{'n':'b','v':1}]}              | false
          {'f:l':{'k:{"p":80,"q":"TCP"}':{'.':{},'f:v':{}}}} | {'l':[{'p':80,'q':'TCP','v':1}]} | {'l':[{'p':80,'q':'UDP','v':2},{'p':80,'q':'TCP','v':1}]} | true
          """)
  void ownedFieldsAreComparedAndNothingElse(
      String fields, String answered, String now, boolean same) throws JsonProcessingException {
    FieldSet owned = FieldSet.of(fields(fields), json(answered));
    assertThat(owned.projection(json(now)).equals(owned.projection(json(answered))))
        .isEqualTo(same);
  }

  /// Inside a key the double quotes are JSON's own, and so they must be escaped there.
  private static JsonNode fields(String text) throws JsonProcessingException {
    return KubernetesJson.MAPPER.readTree(text.replace("\"", "\\\"").replace('\'', '"'));
  }

  private static JsonNode json(String text) throws JsonProcessingException {
    return KubernetesJson.MAPPER.readTree(text.replace('\'', '"'));
  }
}
