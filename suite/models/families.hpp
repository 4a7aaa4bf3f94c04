// The families of models, one file each.
#pragma once

#include <vector>

#include "suite/benchmark.hpp"

namespace tbci::suite::models {

std::vector<Benchmark> resnet();             // resnet18, resnet50
std::vector<Benchmark> mobilenet();          // mobilenet_v2
std::vector<Benchmark> vgg();                // vgg16
std::vector<Benchmark> dcgan();              // dcgan
std::vector<Benchmark> bert();               // BERT_pytorch
std::vector<Benchmark> gpt2();               // hf_public_text_generator1
std::vector<Benchmark> dlrm();               // dlrm
std::vector<Benchmark> deeprecommender();    // nvidia_deeprecommender
std::vector<Benchmark> soft_actor_critic();  // soft_actor_critic
std::vector<Benchmark> tts_angular();        // tts_angular
std::vector<Benchmark> lennard_jones();      // lennard_jones

}  // namespace tbci::suite::models
