# tbci as a service. The first stage builds it; the second has what it needs at run time, compilers among it, because the
# worker and the subject are built on the machine that measures.
FROM debian:12 AS build
COPY deploy/deps /source/deploy/deps
RUN /source/deploy/deps --no-torch
COPY . /source
RUN cmake -S /source --preset release -DCMAKE_INSTALL_PREFIX=/usr \
 && cmake --build /source/build/release \
 && DESTDIR=/staged cmake --install /source/build/release

FROM debian:12
# The libraries that tbci links, then what builds subjects and workers.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      libcurl4 libfmt9 libgit2-1.5 libspdlog1.10 libsqlite3-0 libssl3 libsystemd0 libtomlplusplus3 libyaml-0-2 libzip4 libxml2 \
      ca-certificates ccache cmake g++ git make mold ninja-build python3 python3-pip \
      python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --create-home --home-dir /var/lib/tbci --shell /usr/sbin/nologin tbci
COPY --from=build /staged/ /
USER tbci
ENV HOME=/var/lib/tbci CCACHE_DIR=/var/lib/tbci/ccache
# With `--gpus` (NVIDIA's container toolkit) this image measures on GPUs: the wheels bring CUDA. Source builds with CUDA
# need its Toolkit, which is not in here.
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility
VOLUME /var/lib/tbci
EXPOSE 8712
# Put a configuration of your own over this one: -v ./tbci.toml:/etc/tbci/tbci.toml:ro and --config /etc/tbci/tbci.toml.
ENTRYPOINT ["/usr/bin/tbci", "--state", "/var/lib/tbci"]
CMD ["--config", "/usr/share/tbci/configs/pytorch-cpu.toml", "serve"]
