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
    shapes = [(name, tuple(mine[name].shape)) for name in names]
    if len(shapes) != len(given):
        raise ValueError(f"{len(shapes)} parameters, but the dump has {len(given)}")
    for (name, shape), tensor in zip(shapes, given):
        if shape != tuple(tensor.shape):
            raise ValueError(f"{name} is {shape}, but the dump has {tuple(tensor.shape)} there")
    for name, source in zip(names, given):
        mine[name].data.copy_(source)
    return model.eval()


def last(names, part):
    """`names` with those that contain `part` at the end."""
    return [n for n in names if part not in n] + [n for n in names if part in n]


def distilbert_order(names):
    names = last(names, "vocab_")
    bias = names.pop()
    names.insert(names.index("vocab_transform.weight"), bias)
    return names


def roberta_order(names):
    """The head comes first there, with the word embeddings as its last layer."""
    words = [n for n in names if n == "lm_head.decoder.weight"]
    return words + last([n for n in names if n not in words], "lm_head")


def albert_order(names):
    """The norm after the feed-forward layers comes first there, and the head's norm before its dense layer."""
    norm = [n for n in names if "full_layer_layer_norm" in n]
    names = [n for n in names if n not in norm]
    head = names.index("predictions.bias")
    return last(names[:head] + norm + names[head:], "predictions.LayerNorm")


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
    config = t.XLMRobertaConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096, **ROBERTA)
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


def fastnlp_bert(dump):
    """fastNLP's model with a vocabulary that gives each word the piece that the dump has for it."""
    import os
    import tempfile

    import fastNLP
    from fastNLP.embeddings import bert_embedding
    from fastNLP.models import BertForQuestionAnswering
    from fastNLP.modules.encoder.bert import BertConfig, BertModel

    pieces = dump["buffers"]["pieces"].tolist()
    words = ["<pad>", "<unk>", "[SEP]"] + [chr(0x4E00 + i) for i in range(len(pieces) - 3)]
    vocabulary = fastNLP.Vocabulary()
    vocabulary.add_word_lst(["[SEP]"] * 2)
    vocabulary.add_word_lst(words[3:])
    vocabulary.build_vocab()
    if [vocabulary.to_index(word) for word in words] != list(range(len(words))):
        raise ValueError("fastNLP numbers the words otherwise")
    lines = ["[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"] + [""] * (len(pieces) - 3)
    for word, piece in zip(words[3:], pieces[3:]):
        lines[piece] = word
    parameters = dump["parameters"]
    rows, width = parameters["encoder.embeddings.words.weight"].shape
    config = BertConfig(rows, hidden_size=width, intermediate_size=4 * width,
                        num_attention_heads=4 if width < 768 else 12,
                        max_position_embeddings=len(parameters["encoder.embeddings.places.weight"]))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("vocab.txt", "\n".join(lines)), ("config.json", config.to_json_string()), ("none.bin", "")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        load = BertModel.from_pretrained
        bert_embedding.BertModel.from_pretrained = classmethod(lambda cls, *_, **__: BertModel(config))
        try:
            embed = bert_embedding.BertEmbedding(vocabulary, model_dir_or_name=folder, include_cls_sep=False,
                                                 auto_truncate=True, dropout=0.5, word_dropout=0.01)
        finally:
            bert_embedding.BertModel.from_pretrained = load
    model = copy_parameters(BertForQuestionAnswering(embed), dump)
    found = model(dump["inputs"][-1])
    return [found["pred_start"], found["pred_end"]]


ROBERTA = dict(vocab_size=250002, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5)
LONGFORMER = dict(vocab_size=50265, max_position_embeddings=4098, type_vocab_size=1, layer_norm_eps=1e-5)
ALBERT = dict(hidden_size=768, num_attention_heads=12, intermediate_size=3072)
BERT_LARGE = dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16)
PACKAGE = "transformers"

CASES = {
    "hf_Bert": Case(masked_language_model("Bert", {}), PACKAGE),
    "hf_Bert_large": Case(masked_language_model("Bert", BERT_LARGE), PACKAGE, batch=1),
    "hf_DistilBert": Case(masked_language_model("DistilBert", {}, distilbert_order), PACKAGE),
    "hf_Roberta_base": Case(masked_language_model("XLMRoberta", ROBERTA, roberta_order), PACKAGE, batch=1),
    "hf_Albert": Case(masked_language_model("Albert", ALBERT, albert_order), PACKAGE),
    "hf_BigBird": Case(masked_language_model("BigBird", {}), PACKAGE, batch=1),
    "hf_Longformer": Case(masked_language_model("Longformer", LONGFORMER), PACKAGE, batch=1),
    "hf_Reformer": Case(reformer, PACKAGE),
    "fastNLP_Bert": Case(fastnlp_bert, "fastNLP 0.6"),
    "fambench_xlmr": Case(xlm_roberta_features, PACKAGE, batch=1),
}
