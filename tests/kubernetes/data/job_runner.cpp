#include "tests/kubernetes/data/job_runner.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill(2)
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lips::kubernetes {
namespace fs = std::filesystem;

using Json = nlohmann::json;

void write_file(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  if (fs::exists(folder))
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(folder));
  std::sort(files.begin(), files.end());
  return files;
}

namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  close(socket);
  return ntohs(address.sin_port);
}

bool answers(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool connected = connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(socket);
  return connected;
}

}  // namespace

struct JobRunner::Mounts {
  std::string folder;                            // of the pod
  std::map<std::string, std::string> by_volume;  // name -> folder
};

JobRunner::JobRunner(std::string root) : root_(std::move(root)) { fs::create_directories(root_); }

JobRunner::~JobRunner() {
  for (const int server : servers_) {
    kill(-server, SIGKILL);
    waitpid(server, nullptr, 0);
  }
  fs::remove_all(root_);
}

std::string JobRunner::rclone() {
  const char* tools = std::getenv("LIPS_TOOLS");
  const char* home = std::getenv("HOME");
  std::string built =
      (tools ? std::string(tools) : std::string(home ? home : "") + "/.cache/lips-tools") + "/bin/rclone";
  if (fs::exists(built)) return built;
  return std::system("command -v rclone > /dev/null 2>&1") == 0 ? "rclone" : "";
}

std::string JobRunner::node_folder(const std::string& node, const std::string& path) const {
  return root_ + "/nodes/" + node + path;
}
std::string JobRunner::claim_folder(const std::string& claim) const { return root_ + "/claims/" + claim; }

JobRunner::Mounts JobRunner::mounts_of(const Json& spec, const std::string& folder) {
  Mounts mounts{folder, {}};
  std::string node = spec.value("nodeName", "any");
  if (spec.contains("affinity")) {
    const Json terms =
        spec["affinity"]["nodeAffinity"].value("requiredDuringSchedulingIgnoredDuringExecution", Json::object());
    if (terms.contains("nodeSelectorTerms")) node = terms["nodeSelectorTerms"][0]["matchFields"][0]["values"][0];
  }
  for (const Json& volume : spec["volumes"]) {
    std::string place = folder + '/' + volume["name"].get<std::string>();
    if (volume.contains("hostPath")) place = node_folder(node, volume["hostPath"]["path"]);
    if (volume.contains("persistentVolumeClaim")) place = claim_folder(volume["persistentVolumeClaim"]["claimName"]);
    fs::create_directories(place);
    mounts.by_volume[volume["name"]] = place;
  }
  return mounts;
}

PodEnd JobRunner::run_container(const Json& container, const Mounts& mounts, bool background) {
  // The server serves one folder with mounts in it: here one with links.
  fs::create_directories(mounts.folder + "/serve");
  std::map<std::string, std::string> places{{"/dev/termination-log", mounts.folder + "/termination-log"}};
  for (const Json& mount : container["volumeMounts"]) {
    const std::string path = mount["mountPath"], place = mounts.by_volume.at(mount["name"]);
    places[path] = place;
    if (!path.starts_with("/serve/")) continue;
    const std::string link = mounts.folder + path;
    if (!fs::exists(link)) fs::create_symlink(place, link);
  }
  const auto mapped = [&](std::string text) {
    for (const auto& [path, place] : places)
      replace_all(text, path, "\x01" + std::to_string(std::distance(places.begin(), places.find(path))) + "\x02");
    std::size_t number = 0;
    for (const auto& [path, place] : places) replace_all(text, "\x01" + std::to_string(number++) + "\x02", place);
    return text;
  };
  std::string script = "export PATH=" + quoted(fs::path(rclone()).parent_path().string() + ':' + std::getenv("PATH")) +
                       "\nexport RCLONE_COPY_LINKS=true\n";
  std::string source = "8080";
  for (const Json& variable : container["env"])  // a server and those who read from it have one Secret
    if (variable["name"] == "LIPS_PASSWORD")
      source = std::to_string(ports_.at(variable["valueFrom"]["secretKeyRef"]["name"]));
  for (const Json& variable : container["env"]) {
    std::string value = variable.value("value", "");
    const std::string name = variable["name"];
    if (variable.contains("valueFrom")) {
      const Json& secret = variable["valueFrom"]["secretKeyRef"];
      value = secrets.at(secret["name"].get<std::string>() + '/' + secret["key"].get<std::string>());
      if (name == "RCLONE_PASS") ports_[secret["name"]] = port_;
    }
    if (name == "LIPS_SERVED" && value == "/serve") value = mounts.folder + "/serve";
    if (name == "LIPS_PORT") value = std::to_string(port_);
    if (name == "LIPS_SOURCE") replace_all(value, ":8080", ':' + source);
    script += "export " + name + '=' + quoted(mapped(value)) + '\n';
  }
  script += mapped(container["command"][2]);
  const std::string file = mounts.folder + "/script.sh";
  write_file(file, script);
  if (background) {
    start_server("exec sh " + file, mounts.folder + "/server.log", port_);
    return {true, "", ""};
  }
  const int ended = std::system(("sh " + file + " > " + mounts.folder + "/log 2>&1").c_str());
  PodEnd end{ended == 0, read_file(mounts.folder + "/termination-log"), read_file(mounts.folder + "/log")};
  if (!end.succeeded && end.message.empty()) end.message = end.log;
  return end;
}

PodEnd JobRunner::run(const Json& job, int containers) {
  const Json& spec = job["spec"]["template"]["spec"];
  const Mounts mounts = mounts_of(spec, root_ + "/pods/" + std::to_string(++pods_));
  PodEnd end{true, "", ""};
  for (const char* kind : {"initContainers", "containers"})
    for (const Json& container : spec.value(kind, Json::array())) {
      if (containers-- <= 0) return {false, "killed", ""};
      end = run_container(container, mounts, false);
      if (!end.succeeded) return end;
    }
  return end;
}

PodEnd JobRunner::serve(const Json& pod) {
  const Json& spec = pod["spec"];
  const Mounts mounts = mounts_of(spec, root_ + "/pods/" + std::to_string(++pods_));
  port_ = free_port();
  for (const Json& container : spec.value("initContainers", Json::array())) {
    PodEnd end = run_container(container, mounts, false);
    if (!end.succeeded) return end;
  }
  return run_container(spec["containers"][0], mounts, true);
}

std::string JobRunner::serve_s3(const std::string& folder, const std::string& key, const std::string& secret) {
  fs::create_directories(folder);
  const int port = free_port();
  start_server("exec " + rclone() + " serve s3 " + folder + " --addr 127.0.0.1:" + std::to_string(port) +
                   " --auth-key " + key + ',' + secret + " --vfs-cache-mode off --dir-cache-time 1ms",
               root_ + "/s3.log", port);
  return "http://127.0.0.1:" + std::to_string(port);
}

// rclone writes to its log once it listens.
void JobRunner::start_server(const std::string& command, const std::string& log, int port) {
  write_file(log, "");
  const int news = inotify_init1(IN_CLOEXEC);
  ASSERT_GE(inotify_add_watch(news, log.c_str(), IN_MODIFY), 0) << log;
  const int child = fork();
  if (child == 0) {
    setpgid(0, 0);
    execl("/bin/sh", "sh", "-c", (command + " >> " + log + " 2>&1").c_str(), nullptr);
    _exit(127);
  }
  servers_.push_back(child);
  const auto end = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd either[] = {{news, POLLIN, 0}, {end, POLLIN, 0}};
  while (!answers(port)) {
    constexpr int patience_ms = 60'000;
    ASSERT_GT(poll(either, 2, patience_ms), 0) << "nobody listens: " << command;
    ASSERT_EQ(either[1].revents, 0) << "the server ended: " << command << '\n' << read_file(log);
    char events[4096];
    ASSERT_GT(read(news, events, sizeof events), 0);
  }
  close(news), close(end);
}

}  // namespace lips::kubernetes
