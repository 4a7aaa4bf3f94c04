"""Networks that make images, mattes, frames and masks, and the detector among them, as pytorch/benchmark has them."""

import functools
import importlib.util
import os
import sys
import types
from unittest import mock

import torch
from compare import Case, copy_in_order, import_torchvision
from torchbench import import_from_torchbench, pretend, whole


def dcgan(dump):
    """The discriminator, which is the original's inference."""
    original = whole("dcgan").Model("eval", "cpu", batch_size=len(dump["inputs"][0]))
    original.exmaple_inputs = dump["inputs"][0]
    copy_in_order(original.model, dump)
    return list(original.eval())


def cyclegan(dump):
    networks = import_from_torchbench("pytorch_CycleGAN_and_pix2pix", "models.networks")
    norm = functools.partial(torch.nn.InstanceNorm2d, affine=False, track_running_stats=False)
    original = networks.ResnetGenerator(3, 3, 64, norm, False, 9)
    return [copy_in_order(original, dump)(dump["inputs"][0])]


def stargan(dump):
    original = import_from_torchbench("pytorch_stargan", "model").Generator(64, 5, 6)
    return [copy_in_order(original, dump)(*dump["inputs"])]


def unet(dump):
    original = import_from_torchbench("pytorch_unet", "pytorch_unet.unet.unet_model").UNet(3, 2, True)
    labels = copy_in_order(original, dump)(dump["inputs"][0]).argmax(dim=1)
    return [torch.nn.functional.one_hot(labels, 2).permute(0, 3, 1, 2).float()]


def background_matting(dump):
    networks = import_from_torchbench("Background_Matting", "networks")
    original = networks.ResnetConditionHR((3, 3, 1, 4), 4, n_blocks1=7, n_blocks2=3)
    return list(copy_in_order(original, dump)(*dump["inputs"]))


def super_slomo(dump):
    torchvision = import_torchvision()
    build, torchvision.models.vgg16 = torchvision.models.vgg16, lambda **_: build()  # without its weights
    try:
        original = import_from_torchbench("Super_SloMo", "model_wrapper").Model()
    finally:
        torchvision.models.vgg16 = build
    for grid in original.buffers():
        grid.data = grid.data.clone()  # its rows are one in memory
    return list(copy_in_order(original, dump)(*dump["inputs"]))


def greedy_nms(boxes, scores, most_overlap):
    """What torchvision.ops.nms does, where its compiled operators cannot be loaded."""
    from torchvision.ops.boxes import box_iou

    left, kept = scores.argsort(descending=True).tolist(), []
    overlaps = box_iou(boxes, boxes)
    while left:
        best = left.pop(0)
        kept.append(best)
        left = [other for other in left if overlaps[best, other] <= most_overlap]
    return torch.tensor(kept)


def yolov3(dump):
    torchvision = import_torchvision()
    torchvision.ops.boxes.nms = greedy_nms
    pretend("cv2", "matplotlib", "matplotlib.pyplot", "tqdm")
    models = import_from_torchbench("yolov3", "yolo_models")
    config = os.path.join(os.path.dirname(models.__file__), "cfg", "yolov3-spp.cfg")
    original = models.Darknet(config, 512)
    for to, source in zip(original.parameters(), dump["parameters"].values(), strict=True):
        to.data.copy_(source)
    boxes, levels = original.eval()(dump["inputs"][0])
    found = models.non_max_suppression(boxes.clone(), 0.3, 0.6, multi_label=False, classes=None, agnostic=False)
    return [boxes, *levels, *found]


class NoCompression(torch.nn.Module):
    """What dalle2_pytorch puts where latent diffusion has an autoencoder."""

    def __init__(self, channels):
        super().__init__()
        self.encoded_dim = channels

    def copy_for_eval(self):
        return self

    def get_encoded_fmap_size(self, size):
        return size

    def encode(self, image):
        return image

    decode = encode


def bare_package(name):
    """An installed package without what its __init__.py does."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise ImportError(f"{name} is missing")
    sys.modules[name] = package = types.ModuleType(name)
    package.__path__ = list(spec.submodule_search_locations)
    return package


def import_dalle2():
    """The package without its training and its tokenizer."""
    pretend("kornia", "kornia.filters", "kornia.augmentation", "x_clip", "coca_pytorch", "ftfy", "regex")
    import_torchvision()
    bare_package("dalle2_pytorch")
    for part in ("tokenizer", "vqgan_vae"):
        sys.modules[f"dalle2_pytorch.{part}"] = mock.MagicMock()
    module = importlib.import_module("dalle2_pytorch.dalle2_pytorch")
    module.NullVQGanVAE, nothing = NoCompression, type("Nothing", (), {})
    module.VQGanVAE = module.CLIP = module.CoCa = nothing
    return module


def clip_with_random_weights():
    from torchvision import transforms

    clip = bare_package("clip")
    network = importlib.import_module("clip.model").CLIP
    sizes = dict(embed_dim=512, image_resolution=224, vision_layers=12, vision_width=768, vision_patch_size=32)
    words = dict(context_length=77, vocab_size=49408, transformer_width=512, transformer_heads=8, transformer_layers=12)
    normalize = transforms.Normalize((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))
    clip.load = lambda *_: (network(**sizes, **words), transforms.Compose([normalize]))


def dalle2(dump):
    d = import_dalle2()
    clip_with_random_weights()
    adapter = d.OpenAIClipAdapter()
    prior = d.DiffusionPrior(
        net=d.DiffusionPriorNetwork(dim=512, depth=6, dim_head=64, heads=8), clip=adapter, timesteps=1, cond_drop_prob=0.2
    )
    common = dict(image_embed_dim=512, cond_dim=128, channels=3)
    first = d.Unet(dim=128, dim_mults=(1, 2, 4, 8), text_embed_dim=512, cond_on_text_encodings=True, **common)
    second = d.Unet(dim=16, dim_mults=(1, 2, 4, 8, 16), **common)
    decoder = d.Decoder(
        unet=(first, second), image_sizes=(128, 256), clip=adapter, timesteps=1, sample_timesteps=(1, 1),
        image_cond_drop_prob=0.1, text_cond_drop_prob=0.5,
    )
    original = d.DALLE2(prior=prior, decoder=decoder).eval()
    mine = [p for name, p in original.named_parameters() if not name.endswith("rotary_emb.freqs")]
    given = [p for name, p in dump["parameters"].items() if not name.endswith("rotary_emb.freqs")]
    for to, source in zip(mine, given, strict=True):
        to.data.copy_(source)
    words, noise = dump["inputs"]
    torch.set_rng_state(noise)
    return [original(words)]


def stable_diffusion_unet(dump):
    import_torchvision()
    from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel

    settings = dict(cross_attention_dim=1024, attention_head_dim=[5, 10, 20, 20], use_linear_projection=True)
    original = UNet2DConditionModel(sample_size=96, in_channels=4, out_channels=4, **settings)
    latent, time, text = dump["inputs"]
    return [copy_in_order(original, dump)(latent, time, text).sample]


def stable_diffusion_text_encoder(dump):
    import_torchvision()
    from transformers import CLIPTextConfig, CLIPTextModel

    sizes = dict(hidden_size=1024, intermediate_size=4096, num_hidden_layers=23, num_attention_heads=16)
    original = CLIPTextModel(CLIPTextConfig(hidden_act="gelu", projection_dim=512, eos_token_id=49407, **sizes)).eval()
    # Hugging Face has the norms of a layer after its attention and its linear layers, this suite in between.
    weights = iter(dump["parameters"].values())
    model = original.text_model if hasattr(original, "text_model") else original
    copy = lambda module: [p.data.copy_(next(weights)) for p in module.parameters()]
    copy(model.embeddings)
    for layer in model.encoder.layers:
        for part in (layer.self_attn, layer.layer_norm1, layer.mlp, layer.layer_norm2):
            copy(part)
    copy(model.final_layer_norm)
    found = original(input_ids=dump["inputs"][0])
    return [found.last_hidden_state, found.pooler_output]


def sam(dump):
    import_torchvision()
    build = import_from_torchbench("sam", "build_sam")
    original = build.build_sam_vit_h()
    constants = {name: tensor for name, tensor in original.named_buffers() if name.startswith("pixel_")}
    copy_in_order(original, {**dump, "buffers": {**constants, **dump["buffers"]}})
    images, points = dump["inputs"]
    found = original(
        [
            {
                "image": image,
                "original_size": (1200, 1800),
                "point_coords": point.view(1, 1, 2),
                "point_labels": torch.ones(1, 1),
            }
            for image, point in zip(images, points)
        ],
        multimask_output=True,
    )
    return [torch.cat([f[key] for f in found]) for key in ("masks", "iou_predictions", "low_res_logits")]


CASES = {
    "dcgan": Case(dcgan, "pytorch/benchmark"),
    "pytorch_CycleGAN_and_pix2pix": Case(cyclegan, "pytorch/benchmark"),
    "public_image_generator1": Case(stargan, "pytorch/benchmark"),
    "public_image_generator2": Case(dalle2, "dalle2-pytorch"),
    "pytorch_unet": Case(unet, "pytorch/benchmark"),
    "Background_Matting": Case(background_matting, "pytorch/benchmark"),
    "Super_SloMo": Case(super_slomo, "pytorch/benchmark"),
    "yolov3": Case(yolov3, "pytorch/benchmark"),
    "stable_diffusion_unet": Case(stable_diffusion_unet, "diffusers", batch=1),
    "stable_diffusion_text_encoder": Case(stable_diffusion_text_encoder, "transformers"),
    "sam": Case(sam, "pytorch/benchmark", batch=1),
}
