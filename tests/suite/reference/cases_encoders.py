"""BERT and its kin, of Hugging Face's transformers (and fastNLP's BERT)."""

import torch

from compare import Case, import_torchvision


def transformers():
    import_torchvision()  # transformers imports it, and fails where its operators do not fit
    import transformers

    transformers.logging.set_verbosity_error()
    return transformers


def copy_parameters(model, dump, order=lambda names: names):
    """As copy_in_order, for a model whose buffers are others. `order` puts the original's names into the dump's order."""
    given = list(dump["parameters"].values())
    mine = dict(model.named_parameters())
    names = order(list(mine))
    if [mine[n].shape for n in names] != [t.shape for t in given]:
        raise ValueError(f"parameters differ: {[(n, tuple(mine[n].shape)) for n in names]} and {[tuple(t.shape) for t in given]}")
    for name, source in zip(names, given):
        mine[name].data.copy_(source)
    return model.eval()


def last(names, part):
    """`names` with those that contain `part` at the end."""
    return [n for n in names if part not in n] + [n for n in names if part in n]


def head_bias_first(names):
    return head_order(names, "vocab_projector.bias", "vocab_transform.weight")


def head_order(names, moved, before):
    names = [n for n in names if n != moved]
    names.insert(names.index(before), moved)
    return names


def albert_order(names):
    norm = [n for n in names if "full_layer_layer_norm" in n]
    names = [n for n in names if n not in norm]
    after = names.index("predictions.bias")
    names[after:after] = norm
    head = [n for n in names if n.startswith("predictions.LayerNorm")]
    names = [n for n in names if n not in head]
    return names + head


def masked_language_model(kind, config, order=lambda names: names):
    def run(dump):
        t = transformers()
        model = getattr(t, f"{kind}ForMaskedLM")(getattr(t, f"{kind}Config")(**config))
        return [copy_parameters(model, dump, order)(dump["inputs"][0]).logits]

    return run


def reformer(dump):
    t = transformers()
    model = copy_parameters(t.ReformerForMaskedLM(t.ReformerConfig(num_buckets=128)), dump,
                            lambda names: [n for n in names if n != "lm_head.bias"] + ["lm_head.bias"])
    directions = iter([b for n, b in dump["buffers"].items() if n.endswith("directions")])
    draw = torch.randn
    torch.randn = lambda *shape, **options: next(directions)  # the hashes of the dump
    try:
        return [model(dump["inputs"][0]).logits]
    finally:
        torch.randn = draw


def xlm_roberta_features(dump):
    """transformers' XLM-R, whose layers are those of fairseq."""
    t = transformers()
    config = t.XLMRobertaConfig(vocab_size=1002, hidden_size=48, num_hidden_layers=24, num_attention_heads=4,
                                intermediate_size=192, max_position_embeddings=34, type_vocab_size=1, layer_norm_eps=1e-5)
    model = t.XLMRobertaModel(config, add_pooling_layer=False)
    model.embeddings.token_type_embeddings.weight.data.zero_()
    given = {n: p for n, p in dump["parameters"].items() if not n.startswith("lm_head")}

    def order(names):
        names = last([n for n in names if "token_type" not in n], "encoder.")
        layers = [n for n in names if "encoder." in n]
        for i in range(0, len(layers), 16):  # fairseq has key, value, query
            query, key, value = layers[i : i + 2], layers[i + 2 : i + 4], layers[i + 4 : i + 6]
            layers[i : i + 6] = key + value + query
        embeddings = [n for n in names if "encoder." not in n]
        return last(embeddings, "position_embeddings") + layers

    copy_parameters(model, {"parameters": given}, order)
    return [model(dump["inputs"][0].long()).last_hidden_state]


ROBERTA = dict(vocab_size=250002, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5)
LONGFORMER = dict(vocab_size=50265, max_position_embeddings=4098, type_vocab_size=1, layer_norm_eps=1e-5)
ALBERT = dict(hidden_size=768, num_attention_heads=12, intermediate_size=3072)
BERT_LARGE = dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16)
PACKAGE = "transformers"

CASES = {
    "hf_Bert": Case(masked_language_model("Bert", {}), PACKAGE),
    "hf_Bert_large": Case(masked_language_model("Bert", BERT_LARGE), PACKAGE, batch=1),
    "hf_DistilBert": Case(masked_language_model("DistilBert", {}, head_bias_first), PACKAGE),
    "hf_Roberta_base": Case(masked_language_model("XLMRoberta", ROBERTA), PACKAGE, batch=1),
    "hf_Albert": Case(masked_language_model("Albert", ALBERT, albert_order), PACKAGE),
    "hf_BigBird": Case(masked_language_model("BigBird", {}), PACKAGE, batch=1),
    "hf_Longformer": Case(masked_language_model("Longformer", LONGFORMER), PACKAGE, batch=1),
    "hf_Reformer": Case(reformer, PACKAGE),
    "fambench_xlmr": Case(xlm_roberta_features, PACKAGE, size="ci"),
}
