package dev.pitcrew.testbed.binaries;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

/// Downloads a program from its project's release site, for machines without Go. Nothing is taken
/// whose SHA-256 the release site does not name.
final class ReleaseDownload implements BinarySource {
  private final ReleaseSites sites;
  private final BinaryCache cache;

  ReleaseDownload(ReleaseSites sites, BinaryCache cache) {
    this.sites = sites;
    this.cache = cache;
  }

  static ReleaseDownload into(BinaryCache cache) {
    return new ReleaseDownload(ReleaseSites.official(), cache);
  }

  @Override
  public Attempt obtain(Binary binary, Progress progress) {
    return sites
        .releaseOf(binary)
        .map(release -> obtain(binary, release, progress))
        .orElseGet(() ->
            new Attempt.NotHere(
                "%s is not published anywhere: it is built from testbed/tools/operands with Go"
                    .formatted(binary.command())));
  }

  private Attempt obtain(Binary binary, Release release, Progress progress) {
    try (var workshop = Workshop.in(cache, binary.module());
        var _ = progress.regularly(elapsed -> downloading(binary, release, elapsed))) {
      return download(binary, release, workshop.folder());
    } catch (IOException | NoSuchAlgorithmException e) {
      return failed(release, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failed(release, "interrupted");
    }
  }

  private Attempt download(Binary binary, Release release, Path workshop)
      throws IOException, InterruptedException, NoSuchAlgorithmException {
    var file = workshop.resolve("download");
    try (var client = client()) {
      var sums = get(client, release.checksums(), BodyHandlers.ofString()).body();
      var expected = release.checksumIn(sums);
      if (expected.isEmpty()) {
        return failed(release, release.checksums() + " names no SHA-256 for it");
      }
      get(client, release.file(), BodyHandlers.ofFile(file));
      var actual = sha256(file);
      if (!actual.equals(expected.get())) {
        return failed(release, "its SHA-256 is " + actual + ", not " + expected.get());
      }
    }
    return new Attempt.Found(cache.publish(binary, unpack(release, file, binary)));
  }

  private static Path unpack(Release release, Path file, Binary binary) throws IOException {
    if (!release.isArchive()) {
      return file;
    }
    var workshop = file.resolveSibling("unpacked");
    Files.createDirectories(workshop);
    var run =
        CommandRun.of(List.of("tar", "-xzf", file.toString(), "--strip-components=1"), workshop);
    if (!run.succeeded()) {
      throw new IOException("tar ended with status " + run.status() + ": " + run.lastLines());
    }
    return workshop.resolve(binary.command());
  }

  private static HttpClient client() {
    return HttpClient.newBuilder()
        .followRedirects(HttpClient.Redirect.NORMAL)
        .connectTimeout(Duration.ofSeconds(10))
        .build();
  }

  private static <T> HttpResponse<T> get(
      HttpClient client, URI address, HttpResponse.BodyHandler<T> handler)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(address).timeout(Duration.ofMinutes(10)).build();
    var response = client.send(request, handler);
    if (response.statusCode() != 200) {
      throw new IOException(address + " answered " + response.statusCode());
    }
    return response;
  }

  private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
    var digest = MessageDigest.getInstance("SHA-256");
    try (var stream = new DigestInputStream(Files.newInputStream(file), digest)) {
      stream.transferTo(java.io.OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static Attempt failed(Release release, String why) {
    return new Attempt.NotHere(
        "download of %s failed (%s); install Go, or put the program on $PATH"
            .formatted(release.file(), why));
  }

  private static String downloading(Binary binary, Release release, Duration elapsed) {
    return "%s %s: downloading %s, %d s"
        .formatted(binary.command(), binary.version(), release.file(), elapsed.toSeconds());
  }
}
