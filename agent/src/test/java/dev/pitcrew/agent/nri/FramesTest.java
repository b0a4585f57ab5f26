package dev.pitcrew.agent.nri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/// ttrpc's frames, in whatever pieces a socket delivers them.
class FramesTest {

  @Property(tries = 200)
  void framesComeOutAsTheyWentInWhateverThePieces(
      @ForAll("frames") List<Frame> frames, @ForAll @IntRange(min = 1, max = 40) int piece)
      throws NriProtocolException {
    ByteString bytes =
        frames.stream().map(Frame::encoded).reduce(ByteString.EMPTY, ByteString::concat);
    var assembler = new FrameAssembler();
    var read = new ArrayList<Frame>();
    for (int start = 0; start < bytes.size(); start += piece) {
      read.addAll(assembler.add(bytes.substring(start, Math.min(start + piece, bytes.size()))));
    }
    assertThat(read).isEqualTo(frames);
  }

  @Property(tries = 200)
  void aLengthThatTtrpcDoesNotAllowIsRefused(@ForAll int length) {
    boolean isAllowed = length >= 0 && length <= Frame.LONGEST_DATA;
    ByteBuffer header =
        ByteBuffer.allocate(Frame.HEADER).putInt(length).putInt(1).putShort((short) 0).flip();
    if (!isAllowed) {
      assertThatThrownBy(() -> new FrameAssembler().add(ByteString.copyFrom(header)))
          .isInstanceOf(NriProtocolException.class)
          .hasMessageContaining(Integer.toUnsignedString(length));
    }
  }

  @Example
  void aFrameIsLengthStreamTypeFlagsAndData() {
    assertThat(Frame.request(3, ByteString.copyFromUtf8("hi")).encoded().toByteArray())
        .containsExactly(0, 0, 0, 2, 0, 0, 0, 3, 1, 0, 'h', 'i');
  }

  @Provide
  Arbitrary<List<Frame>> frames() {
    Arbitrary<ByteString> data =
        Arbitraries.bytes().array(byte[].class).ofMaxSize(60).map(ByteString::copyFrom);
    return Combinators.combine(
            Arbitraries.integers(), Arbitraries.bytes(), Arbitraries.bytes(), data)
        .as(Frame::new)
        .list()
        .ofMaxSize(8);
  }
}
