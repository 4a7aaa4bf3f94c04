"""The agents that act on a state or on pictures, as they are in pytorch/benchmark. Their critics have a part in training alone."""

import numpy
import torch
from compare import Case, copy_in_order
from torchbench import whole


def soft_actor_critic(dump):
    """An episode of gymnasium's pendulum, from the state that the dump begins with."""
    source = whole("soft_actor_critic")
    settings = source.SACConfig()
    agent = source.SACAgent(3, 1, settings.log_std_low, settings.log_std_high, "cpu")
    copy_in_order(agent.actor, dump)
    environment = source.load_gym(settings.env_id, settings.seed)
    environment.reset()
    cosine, sine, velocity = dump["inputs"][0][0].double().tolist()
    environment.unwrapped.state = numpy.array([numpy.arctan2(sine, cosine), velocity])
    state, total, actions = numpy.array([cosine, sine, velocity]), 0.0, []
    for _ in range(settings.max_episode_steps):
        action = agent.forward(state)
        state, reward, *_ = environment.step(action)
        total += reward
        actions.append(action.item())
    return [torch.tensor(actions), torch.tensor([total])]


def drq(dump):
    source = whole("drq", absent=("gym", "kornia"))
    agent = source.DRQAgent(source.DRQConfig(), "cpu", (27, 84, 84), (1,), [-1.0, 1.0])
    parts = {part: [t for n, t in dump["parameters"].items() if n.startswith(part)] for part in ("convolutions", "actor")}
    for to, given in zip(agent.actor.parameters(), parts["convolutions"] + parts["actor"], strict=True):
        to.data.copy_(given)
    with source.eval_mode(agent):
        actions = [agent.act(dump["inputs"][0].numpy(), sample=False) for _ in dump["outputs"][0]]
    return [torch.tensor(numpy.concatenate(actions))]


CASES = {
    "soft_actor_critic": Case(soft_actor_critic, "pytorch/benchmark"),
    "drq": Case(drq, "pytorch/benchmark"),
}
