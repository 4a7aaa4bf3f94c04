"""Models of text: transformers' GPT-2, BART, T5, Mixtral, Phi, Whisper and CLIP; and four of TorchBench's own.

attention_is_all_you_need_pytorch is in pytorch/benchmark up to August 2023 (the parent of bad4e9ac).
"""

import torch

from compare import Case, copy_in_order, import_torchvision
from torchbench import original


def transformers():
    import_torchvision()  # which transformers would import, and fail
    import transformers

    return transformers


def copy_parameters(module, dump):
    """Fills the parameters alone: places and masks, which are buffers, the original makes for itself."""
    return copy_in_order(module, {"parameters": dump["parameters"], "buffers": dict(module.named_buffers())})


def of_transformers(build, run, **options):
    def compared(dump):
        return run(copy_parameters(build(transformers()), dump), *dump["inputs"])

    return Case(compared, "transformers 5.23.0", **options)


def gpt2(**sizes):
    return lambda t: t.GPT2LMHeadModel(t.GPT2Config(**sizes))


def bart(t):
    config = t.BartConfig(d_model=768, encoder_layers=6, decoder_layers=6, encoder_attention_heads=12,
                          decoder_attention_heads=12, encoder_ffn_dim=3072, decoder_ffn_dim=3072)
    return t.BartForConditionalGeneration(config)


def t5(**sizes):
    return lambda t: t.T5ForConditionalGeneration(t.T5Config(vocab_size=32128, **sizes))


SMALL = dict(d_model=512, d_ff=2048, num_layers=6, num_heads=8)
BASE = dict(d_model=768, d_ff=3072, num_layers=12, num_heads=12)
LARGE = dict(d_model=1024, d_ff=4096, num_layers=24, num_heads=16)


def scores(model, words):
    return [model(input_ids=words, use_cache=False).logits]


def scores_of_both(model, words):
    return [model(input_ids=words, decoder_input_ids=words, use_cache=False).logits]


def greedy(model, words):
    config = transformers().GenerationConfig(max_new_tokens=256, pad_token_id=0, eos_token_id=None, do_sample=False,
                                             num_beams=1, use_cache=True, decoder_start_token_id=0)
    written = model.generate(words, config, return_dict_in_generate=True, output_logits=True)
    return [written.sequences, written.logits[-1]]


def clip(model, words, mask, images):
    out = model(input_ids=words, attention_mask=mask, pixel_values=images)
    return [out.logits_per_image, out.logits_per_text, out.image_embeds, out.text_embeds]


def mixtral(dump):
    t = transformers()
    config = t.MixtralConfig(vocab_size=32000, hidden_size=4096, intermediate_size=14336, num_hidden_layers=1,
                             num_attention_heads=32, num_key_value_heads=8, rms_norm_eps=1e-5,
                             rope_parameters={"rope_type": "default", "rope_theta": 1e6})
    model = t.MixtralForCausalLM(config)
    given = dict(dump["parameters"])
    for name, mine in model.named_parameters():
        parts = name.replace("model.layers.", "layer").replace("model.", "").replace(".mlp.", ".block_sparse_moe.")
        stem = parts.rsplit(".", 1)[0].replace(".experts", "")
        if not name.endswith(("gate_up_proj", "down_proj")):
            mine.data.copy_(given[parts])
            continue
        for number, expert in enumerate(mine.data):
            names = ("w1", "w3") if name.endswith("gate_up_proj") else ("w2",)
            for half, which in zip(expert.chunk(len(names)), names):
                half.copy_(given[f"{stem}.expert{number}.{which}.weight"])
    return scores(model.eval(), dump["inputs"][0])


def llama(dump):
    source = original("llama", "model")
    model = source.Transformer(source.ModelArgs(vocab_size=32000, device="cpu"))
    return [copy_parameters(model, dump)(dump["inputs"][0], 1)]


def nanogpt(dump):
    source = original("nanogpt", "model")
    model = copy_parameters(source.GPT(source.GPTConfig()), dump)
    words, seed = dump["inputs"]
    torch.manual_seed(seed.item())
    return [model.generate(words, 32, 0.8, 200)]


def attention_is_all_you_need(dump):
    source = original("attention_is_all_you_need_pytorch", "transformer.Models")
    model = source.Transformer(9521, 9521, 1, 1, trg_emb_prj_weight_sharing=False, emb_src_trg_weight_sharing=False)
    return [copy_in_order(model, dump)(*dump["inputs"])]


def bert(dump):
    source = original("BERT_pytorch", "bert_pytorch.model")
    model = copy_in_order(source.BERTLM(source.BERT(20005), 20005), dump)
    words, segments, is_next, labels = dump["inputs"]
    outputs = model(words, segments)
    criterion = torch.nn.NLLLoss(ignore_index=0)
    return [*outputs, criterion(outputs[0], is_next) + criterion(outputs[1].transpose(1, 2), labels)]


CASES = {
    "BERT_pytorch": Case(bert, "TorchBench's copy"),
    "hf_public_text_generator1": of_transformers(gpt2(), scores),
    "hf_public_text_generator1_large": of_transformers(gpt2(n_embd=1280, n_layer=36, n_head=20), scores, batch=1),
    "hf_Bart": of_transformers(bart, scores_of_both),
    "hf_T5": of_transformers(t5(**SMALL), scores_of_both),
    "hf_T5_base": of_transformers(t5(**BASE), scores_of_both, batch=1),
    "hf_T5_large": of_transformers(t5(**LARGE), scores_of_both, batch=1),
    "hf_T5_generate": of_transformers(t5(**SMALL), greedy),
    "hf_Whisper": of_transformers(lambda t: t.WhisperForAudioClassification(t.WhisperConfig()),
                                  lambda model, sound: [model(sound).logits]),
    "hf_clip": of_transformers(lambda t: t.CLIPModel(t.CLIPConfig(text_config={"eos_token_id": 49407})), clip),
    "phi_1_5": of_transformers(lambda t: t.PhiForCausalLM(t.PhiConfig()), scores, batch=1),
    "hf_mixtral": Case(mixtral, "transformers 5.23.0", batch=1),
    "llama": Case(llama, "TorchBench's copy"),
    "nanogpt": Case(nanogpt, "TorchBench's copy"),
    "attention_is_all_you_need_pytorch": Case(attention_is_all_you_need, "TorchBench's copy"),
}
