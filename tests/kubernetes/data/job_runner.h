// Plays the kubelet for the pods of moves: runs their scripts as processes of this machine, with every mount a folder
// below one root. Needs rclone and sh.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lips::kubernetes {

struct PodEnd {
  bool succeeded = false;
  std::string message, log;
};

class JobRunner {
 public:
  explicit JobRunner(std::string root);
  ~JobRunner();  // ends servers
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // Empty: there is none, and the test is to be skipped.
  static std::string rclone();

  std::map<std::string, std::string> secrets;  // name/key -> value

  std::string node_folder(const std::string& node, const std::string& path) const;
  std::string claim_folder(const std::string& claim) const;
  // All containers of a Job's pod, one after another. `containers`: at most so many, then as killed.
  PodEnd run(const nlohmann::json& job, int containers = 100);
  // The init containers, then the server in the background.
  PodEnd serve(const nlohmann::json& pod);
  int port() const { return port_; }  // of the last one
  // An S3-compatible server whose buckets are folders; returns its URL.
  std::string serve_s3(const std::string& folder, const std::string& key, const std::string& secret);

 private:
  struct Mounts;
  Mounts mounts_of(const nlohmann::json& spec, const std::string& folder);
  PodEnd run_container(const nlohmann::json& container, const Mounts& mounts, bool background);
  void start_server(const std::string& command, const std::string& log, int port);

  std::string root_;
  int pods_ = 0, port_ = 0;
  std::map<std::string, int> ports_;  // of servers, by the Secrets of their passwords
  std::vector<int> servers_;
};

void write_file(const std::string& path, const std::string& text);
std::string read_file(const std::string& path);
// Every file below, by its path from there, sorted.
std::vector<std::string> files_below(const std::string& folder);

}  // namespace lips::kubernetes
