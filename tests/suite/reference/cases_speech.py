"""Speech models as pytorch/benchmark has them: recognition, synthesis and the separation of sources."""

import argparse

import torch
from compare import Case, copy_in_order
from torchbench import import_from_torchbench, pretend


def demucs(dump):
    pretend("tqdm")
    network = import_from_torchbench("demucs", "demucs.model").Demucs(channels=64)
    sources = dump["inputs"][0][:, 1:, :, : 426888 - 44100]
    estimates = copy_in_order(network, dump)(sources.sum(dim=1))
    extra = sources.size(-1) - estimates.size(-1)
    sources = sources[..., extra // 2 : sources.size(-1) - (extra - extra // 2)]
    return [sources, estimates, torch.nn.functional.l1_loss(estimates, sources)]


def speech_transformer(dump):
    pretend("kaldi_io")
    decoder = import_from_torchbench("speech_transformer", "speech_transformer.transformer.decoder")
    encoder = import_from_torchbench("speech_transformer", "speech_transformer.transformer.encoder")
    whole = import_from_torchbench("speech_transformer", "speech_transformer.transformer.transformer")
    weights = dump["parameters"]
    words, width = weights["decoder.tgt_word_emb.weight"].shape
    inner = weights["encoder.layer0.pos_ffn.w_1.weight"].shape[0]
    layers = sum(name.endswith("w_1.weight") and name.startswith("encoder") for name in weights)
    sizes = (layers, 8, width // 8, width // 8, width, inner)
    original = whole.Transformer(encoder.Encoder(320, *sizes), decoder.Decoder(1, 2, words, width, *sizes))
    copy_in_order(original, dump)
    frames, lengths, _ = dump["inputs"]
    arguments = argparse.Namespace(beam_size=5, nbest=1, decode_max_len=100)
    best = original.recognize(frames[0, : lengths[0]], lengths[:1], None, arguments)[0]
    return [best["score"], torch.tensor(best["yseq"])]


def tacotron2(dump):
    pretend("librosa", "librosa.filters", "librosa.util")
    network = import_from_torchbench("tacotron2", "model")
    sizes = argparse.Namespace(
        mask_padding=True, fp16_run=False, n_mel_channels=80, n_frames_per_step=1, n_symbols=148,
        symbols_embedding_dim=512, encoder_kernel_size=5, encoder_n_convolutions=3, encoder_embedding_dim=512,
        decoder_rnn_dim=1024, prenet_dim=256, max_decoder_steps=1000, gate_threshold=0.5, p_attention_dropout=0.1,
        p_decoder_dropout=0.1, attention_rnn_dim=1024, attention_dim=128, attention_location_n_filters=32,
        attention_location_kernel_size=31, postnet_embedding_dim=512, postnet_kernel_size=5, postnet_n_convolutions=5,
    )
    letters, letter_counts, frames, frame_counts, generator = dump["inputs"]
    original = copy_in_order(network.Tacotron2(sizes), dump)
    torch.set_rng_state(generator)  # the layers before the decoder drop values in inference too
    return list(original((letters, letter_counts, frames, int(letter_counts.max()), frame_counts)))


CASES = {
    "demucs": Case(demucs, "pytorch/benchmark", batch=1),
    "speech_transformer": Case(speech_transformer, "pytorch/benchmark", batch=1),
    "tacotron2": Case(tacotron2, "pytorch/benchmark"),
}
