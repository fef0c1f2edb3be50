// The files that the recorder writes: lines of JSON, images, and two files that the process shares with the file
// system, so that what they count is there whatever becomes of it.
#pragma once
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace {

std::string hex(const std::string& bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string address(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "\"0x%llx\"", (unsigned long long)value);
  return text;
}

/** How many bytes a character of UTF-8 has; 0: it is none. */
size_t characterAt(const std::string& text, size_t at) {
  const unsigned char first = text[at];
  const size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : (first & 0xf0) == 0xe0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; i++)
    if ((text[at + i] & 0xc0) != 0x80) return 0;
  return length;
}

/** A string of JSON. Bytes that are no UTF-8 stand as the characters of their numbers. */
std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (size_t at = 0; at < text.size();) {
    const unsigned char one = text[at];
    const size_t length = characterAt(text, at);
    if (one < 0x20 || one == 0x7f || length == 0) {
      char escaped[8];
      snprintf(escaped, sizeof escaped, "\\u%04x", one);
      made += escaped;
      at += 1;
      continue;
    }
    if (one == '"' || one == '\\') made += '\\';
    made.append(text, at, length);
    at += length;
  }
  return made + "\"";
}

class Raw {
 public:
  /** Bounds: distinct launches, bytes of lines, of an image, of all images, of all images that are copied at load. */
  static constexpr size_t mostLaunches = 4096, mostLineBytes = 64u << 20, mostSequence = 1u << 16;
  static constexpr size_t mostImageBytes = 256u << 20, mostAllImages = size_t(1) << 30, mostHeldImages = 512u << 20;
  /** Allocators hand out parts of blocks of multiples of so many bytes; each begins at a multiple of `part`. */
  static constexpr uint64_t block = 2u << 20, part = 256;
  /** A buffer of a test is no larger. */
  static constexpr uint64_t mostLocation = 16u << 20;
  static bool isBlock(uint64_t size) { return size >= block && size % block == 0; }

  /** The numbers of counts.bin; from `named` on, how often each distinct launch was launched. */
  enum Count {
    launches, captured, graphLaunches, captures, leftOut, nanoseconds, graphNodes, otherLaunches, tensorMaps,
    modulesLoaded, capturing, isEnded,
    named = 16
  };

  bool begin(std::string folder) {
    mkdir(folder.c_str(), 0777);
    output = open((folder + "/launches.jsonl").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (output < 0 && errno == EEXIST) {
      // Another process of the application has that one.
      folder += "/process-" + std::to_string(getpid());
      mkdir(folder.c_str(), 0777);
      output = open((folder + "/launches.jsonl").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    }
    if (output < 0) return false;
    at = folder;
    mkdir((at + "/images").c_str(), 0777);
    counts = shared<uint64_t>("/counts.bin", named + mostLaunches);
    order = shared<int32_t>("/sequence.bin", 2 * mostSequence);
    return counts != nullptr && order != nullptr;
  }

  void add(int count, uint64_t number) { __atomic_fetch_add(&counts[count], number, __ATOMIC_RELAXED); }
  uint64_t count(int count) const { return __atomic_load_n(&counts[count], __ATOMIC_RELAXED); }

  void sequence(int stream, int launch) {
    const size_t place = sequenced++;
    if (place >= mostSequence) return;
    order[2 * place] = stream + 1;
    order[2 * place + 1] = launch;
  }

  bool hasRoom() const { return written < mostLineBytes; }

  void line(const std::string& text) {
    if (!hasRoom()) return;
    const std::string whole = text + "\n";
    written += whole.size();
    // One write a line: what other threads write does not come between.
    put(output, whole.data(), whole.size());
  }

  /** An image that was handed to the driver: what it is, and its bytes if they may be freed. */
  int image(const void* data, const char* call) {
    Image made;
    made.call = call;
    look(data, made);
    Dl_info object;
    const bool isOfObject = dladdr(made.bytes, &object) != 0;
    if (isOfObject && object.dli_fname != nullptr) made.object = object.dli_fname;
    std::lock_guard<std::mutex> hold(mutex);
    if (made.bytes != nullptr && !isOfObject) {
      if (made.size > mostImageBytes || heldBytes + made.size > mostHeldImages) made.problem = "it is too large";
      else {
        heldBytes += made.size;
        made.copy.assign(static_cast<const char*>(made.bytes), made.size);
      }
    }
    images.push_back(made);
    return int(images.size()) - 1;
  }

  int imageFile(const char* path, const char* call) {
    Image made;
    made.call = call;
    // The folder in which it is found may be another one later.
    char* whole = path == nullptr ? nullptr : realpath(path, nullptr);
    made.object = whole != nullptr ? whole : path != nullptr ? path : "";
    free(whole);
    made.isFile = true;
    std::lock_guard<std::mutex> hold(mutex);
    images.push_back(made);
    return int(images.size()) - 1;
  }

  /** Writes an image, once a kernel of it is launched. */
  void keepImage(int id) {
    Image one;
    {
      std::lock_guard<std::mutex> hold(mutex);
      if (id < 0 || size_t(id) >= images.size() || images[id].isKept) return;
      images[id].isKept = true;
      one = std::move(images[id]);
      images[id] = Image();
      images[id].isKept = true;
    }
    if (one.isFile) readFile(one);
    const std::string name = "images/" + std::to_string(id) + "." + one.form;
    if (one.problem.empty()) write(name, one);
    std::string text = "{\"kind\":\"image\",\"id\":" + std::to_string(id) + ",\"form\":" + quoted(one.form);
    text += ",\"bytes\":" + std::to_string(one.size) + ",\"call\":" + quoted(one.call);
    if (!one.object.empty()) text += ",\"from\":" + quoted(one.object);
    if (one.problem.empty()) text += ",\"file\":" + quoted(name);
    line(text + (one.problem.empty() ? "}" : ",\"problem\":" + quoted(one.problem) + "}"));
  }

 private:
  struct Image {
    std::string form = "unknown", call, object, copy, problem;
    const void* bytes = nullptr;
    size_t size = 0;
    bool isFile = false, isKept = false;
  };

  std::string at;
  int output = -1;
  std::atomic<size_t> written{0}, sequenced{0};
  uint64_t* counts = nullptr;
  int32_t* order = nullptr;
  std::mutex mutex;
  std::vector<Image> images;
  size_t heldBytes = 0, keptBytes = 0;

  template <typename T>
  T* shared(const char* name, size_t length) {
    const int file = open((at + name).c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, length * sizeof(T)) != 0) return nullptr;
    void* memory = mmap(nullptr, length * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
  }

  /** The system reads the bytes: where they are gone, that is an error and no crash. */
  static bool put(int file, const char* bytes, size_t size) {
    while (size > 0) {
      const ssize_t done = ::write(file, bytes, size);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      bytes += done;
      size -= done;
    }
    return true;
  }

  static void readFile(Image& one) {
    const int file = open(one.object.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) one.problem = std::string("it cannot be read: ") + strerror(errno);
    else if (size_t(status.st_size) > mostImageBytes) one.problem = "it is too large";
    else {
      one.copy.resize(status.st_size);
      size_t end = 0;
      for (ssize_t got; end < one.copy.size() && (got = read(file, &one.copy[end], one.copy.size() - end)) > 0;)
        end += got;
      one.copy.resize(end);
      // A file of a few bytes is none of these; the string ends in a zero.
      if (end >= sizeof(Elf64_Ehdr)) look(one.copy.data(), one);
      one.size = end;
    }
    if (file >= 0) close(file);
  }

  void write(const std::string& name, Image& one) {
    if (one.bytes == nullptr) one.problem = "its form is not known";
    else if (one.size > mostImageBytes || keptBytes + one.size > mostAllImages) one.problem = "it is too large";
    if (!one.problem.empty()) return;
    const int file = open((at + "/" + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const char* bytes = one.copy.empty() ? static_cast<const char*>(one.bytes) : one.copy.data();
    if (file < 0 || !put(file, bytes, one.size)) one.problem = std::string("it cannot be written: ") + strerror(errno);
    if (file >= 0) close(file);
    keptBytes += one.size;
  }

  static size_t sizeOfElf(const char* bytes) {
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes);
    size_t end = std::max<size_t>({sizeof *header, header->e_shoff + size_t(header->e_shnum) * header->e_shentsize,
                                   header->e_phoff + size_t(header->e_phnum) * header->e_phentsize});
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes + header->e_shoff);
    for (int i = 0; header->e_shoff != 0 && i < header->e_shnum; i++)
      if (sections[i].sh_type != SHT_NOBITS) end = std::max<size_t>(end, sections[i].sh_offset + sections[i].sh_size);
    return end;
  }

  /** A fat binary by its wrapper or without, an ELF file, or the text of a module (fatbinary_section.h). */
  static void look(const void* data, Image& made) {
    if (data == nullptr) return;
    uint32_t magic;
    memcpy(&magic, data, 4);
    if (magic == 0x466243b1) {
      memcpy(&data, static_cast<const char*>(data) + 8, sizeof data);
      memcpy(&magic, data, 4);
    }
    const char* bytes = static_cast<const char*>(data);
    if (magic == 0xba55ed50) {
      uint16_t header;
      uint64_t size;
      memcpy(&header, bytes + 6, 2);
      memcpy(&size, bytes + 8, 8);
      made.form = "fatbin", made.size = header + size;
    } else if (magic == 0x464c457f) {
      made.form = "cubin", made.size = sizeOfElf(bytes);
    } else if (isText(bytes)) {
      made.form = "ptx", made.size = strlen(bytes);
    } else {
      return;
    }
    made.bytes = data;
  }

  /** A module begins with blanks, comments or a directive; bytes of other formats do not look so. */
  static bool isText(const char* bytes) {
    for (int i = 0; i < 4; i++)
      if (bytes[i] == 0 || (bytes[i] < ' ' && strchr("\t\r\n", bytes[i]) == nullptr) || bytes[i] == 0x7f) return false;
    const char first = bytes[strspn(bytes, " \t\r\n")];
    return first == '.' || first == '/';
  }
};

}  // namespace
