// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <string>

/// What `softdoca doctor` looks at, a subject a function, and how it says what it finds.
namespace softdoca::tool {

/// Prints findings as they come, and counts the bad ones.
class Diagnosis {
public:
    Diagnosis();

    void subject(const std::string &title);
    void good(const std::string &text);
    /// Worth knowing; nothing to do about it.
    void note(const std::string &text);
    /// Works, but not as it could, or perhaps not as meant.
    void warning(const std::string &text, const std::string &remedy);
    /// Will fail.
    void failure(const std::string &text, const std::string &remedy);

    int num_failures() const { return num_failures_; }
    int num_warnings() const { return num_warnings_; }

private:
    void print(const char *mark, const char *colour, const std::string &text);

    bool is_coloured_;
    int num_failures_ = 0;
    int num_warnings_ = 0;
};

void examine_machine(Diagnosis &diagnosis);                            // doctor_machine.cpp
void examine_reach(Diagnosis &diagnosis);                              // doctor_reach.cpp
void examine_fabric(Diagnosis &diagnosis);                             // doctor_fabric.cpp
void examine_libraries(Diagnosis &diagnosis);                          // doctor_libraries.cpp
void examine_binary(Diagnosis &diagnosis, const std::string &program); // doctor_libraries.cpp
void examine_settings(Diagnosis &diagnosis);                           // doctor_settings.cpp
void list_devices(Diagnosis &diagnosis);                               // doctor_settings.cpp

} // namespace softdoca::tool
