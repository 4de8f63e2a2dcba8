#include "solver/mps.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "solver/certificate.h"
#include "solver/clp_backend.h"
#include "tests/solver/data_files.h"
#include "tests/solver/random_programs.h"

namespace lips::solver {
namespace {

void expect_equal(const LinearProgram& left, const LinearProgram& right) {
  EXPECT_EQ(left.cost(), right.cost());
  EXPECT_EQ(left.column_lower(), right.column_lower());
  EXPECT_EQ(left.column_upper(), right.column_upper());
  EXPECT_EQ(left.column_start(), right.column_start());
  EXPECT_EQ(left.row_index(), right.row_index());
  EXPECT_EQ(left.value(), right.value());
  EXPECT_EQ(left.row_upper(), right.row_upper());
  ASSERT_EQ(left.rows(), right.rows());
  for (int i = 0; i < left.rows(); ++i) {
    if (std::isinf(left.row_lower()[i]))
      EXPECT_EQ(left.row_lower()[i], right.row_lower()[i]);
    else  // a range is written as its upper side and its width
      EXPECT_NEAR(left.row_lower()[i], right.row_lower()[i], 1e-13);
  }
}

TEST(Mps, RoundTripKeepsTheProgram) {
  for (int seed = 0; seed < 50; ++seed) {
    LinearProgram program = random_program(seed, 12, 25);
    program.add_row(-infinity, infinity);
    program.add_column(0, 0, infinity, {});
    program.add_column(1, -infinity, infinity, {});
    program.add_column(1.0 / 3, -infinity, -2, {});
    program.add_column(-1, 0.1, 0.1, std::vector<Entry>{{2, 1e-17}});
    program.add_column(-1, -7, -2, {});
    const auto parsed = parse_mps(write_mps(program));
    ASSERT_TRUE(parsed) << parsed.error();
    expect_equal(program, parsed->program);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Mps, ReadsFixedFormWithSpacesInNames) {
  const auto parsed = parse_mps(
      "NAME          SPACES\n"
      "ROWS\n"
      " N  THE COST\n"
      " L  ROW ONE\n"
      " G  ROW TWO\n"
      "COLUMNS\n"
      "    COL A     THE COST           1.0   ROW ONE            1.0\n"
      "    COL A     ROW TWO            1.0\n"
      "    COL B     THE COST           2.0   ROW ONE            1.0\n"
      "RHS\n"
      "    RHS       ROW ONE            4.0   ROW TWO            1.0\n"
      "    RHS       THE COST          -5.0\n"
      "BOUNDS\n"
      " UP BND       COL A              4.0\n"
      " LO BND       COL B             -1.0\n"
      "ENDATA\n");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->column_names, (std::vector<std::string>{"COL A", "COL B"}));
  EXPECT_EQ(parsed->row_names, (std::vector<std::string>{"ROW ONE", "ROW TWO"}));
  EXPECT_EQ(parsed->objective_constant, 5);
  const LpSolution solution = solve(parsed->program);
  EXPECT_NEAR(solution.objective + parsed->objective_constant, 1 - 2 + 5, 1e-9);
}

TEST(Mps, RangesFollowTheSignOfAnEquation) {
  const auto parsed = parse_mps(
      "NAME R\nROWS\n N c\n E up\n E down\n L less\n G more\nCOLUMNS\n x c 1 up 1\n x down 1 less 1\n x more 1\n"
      "RHS\n up 4 down 4\n rhs less 4 more 4\nRANGES\n rng up 2 down -2\n rng less 2 more -2\nENDATA\n");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->program.row_lower(), (std::vector<double>{4, 2, 2, 4}));
  EXPECT_EQ(parsed->program.row_upper(), (std::vector<double>{6, 4, 4, 6}));
}

TEST(Mps, NegativeUpperBoundAloneOpensTheLowerOne) {
  const auto parsed =
      parse_mps("NAME B\nROWS\n N c\nCOLUMNS\n x c 1\n y c 1\nBOUNDS\n UP b x -2\n LO b y -5\n UP b y -3\nENDATA\n");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->program.column_lower(), (std::vector<double>{-infinity, -5}));
}

TEST(Mps, ErrorsNameTheLine) {
  const auto error_of = [](const char* text) {
    const auto parsed = parse_mps(text);
    return parsed ? std::string("parsed") : parsed.error();
  };
  EXPECT_EQ(error_of("NAME\nROWS\n N c\n X r\nENDATA\n"), "line 4: expected a row's type (N, E, L or G) and its name");
  EXPECT_EQ(error_of("NAME\nROWS\n N c\nCOLUMNS\n x r 1\nENDATA\n"),
            "line 5: found row 'r', expected a name from ROWS");
  EXPECT_EQ(error_of("NAME\nROWS\n N c\nCOLUMNS\n x c 1,5\nENDATA\n"), "line 5: found '1,5', expected a number");
  EXPECT_EQ(error_of("NAME\nROWS\n N c\n"), "line 3: found the end of the text, expected ENDATA");
  EXPECT_EQ(error_of("NAME\nROWS\n L r\nENDATA\n"), "line 4: found no N row, expected one as the objective");
  EXPECT_NE(error_of(""), "parsed");
  EXPECT_NE(error_of("OBJSENSE\n    MAX\nROWS\n N c\nENDATA\n"), "parsed");
}

struct NetlibCase {
  std::string name;
  int rows = 0, columns = 0;
  double optimum = 0;
};

std::vector<NetlibCase> netlib_cases() {
  std::istringstream table(text_of(data_folder() + "/lp/netlib_optima.csv"));
  std::vector<NetlibCase> cases;
  std::string line, field;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream row(line);
    std::vector<std::string> fields;
    while (std::getline(row, field, ',')) fields.push_back(field);
    cases.push_back({fields[0], std::stoi(fields[1]), std::stoi(fields[2]), std::stod(fields[5])});
  }
  return cases;
}

TEST(Netlib, ReachesThePublishedOptimaWithACertificate) {
  const auto cases = netlib_cases();
  if (cases.empty()) GTEST_SKIP() << "no Netlib files under " << data_folder() << "; set LIPS_DATA";
  for (const NetlibCase& known : cases) {
    const auto parsed = parse_mps(text_of(data_folder() + "/lp/netlib/" + known.name + ".mps"));
    ASSERT_TRUE(parsed) << known.name << ": " << parsed.error();
    EXPECT_EQ(parsed->program.rows() + 1, known.rows) << known.name;
    EXPECT_EQ(parsed->program.columns(), known.columns) << known.name;
    for (const auto algorithm : {Algorithm::automatic, Algorithm::primal, Algorithm::dual})
      for (const bool presolve : {true, false}) {
        LpOptions options;
        options.algorithm = algorithm;
        options.presolve = presolve;
        const LpSolution solution = solve(parsed->program, options);
        ASSERT_EQ(solution.status, LpStatus::optimal) << known.name;
        EXPECT_NEAR(solution.objective, known.optimum, 1e-6 * std::abs(known.optimum)) << known.name;
        const Certificate certificate = certify(parsed->program, solution.primal, solution.row_dual);
        EXPECT_LE(certificate.row_violation, 1e-7) << known.name;
        EXPECT_EQ(certificate.column_violation, 0) << known.name;
        EXPECT_LE(std::abs(certificate.gap), 1e-7) << known.name << ' ' << certificate.lower_bound;
      }
  }
}

// The objective that glpsol prints for a program, none when it could not be run.
std::string glpsol_objective(const LinearProgram& program) {
  const auto folder = std::filesystem::temp_directory_path();
  const auto unique = "lips_" + std::to_string(testing::UnitTest::GetInstance()->random_seed()) + "_" +
                      std::to_string(reinterpret_cast<std::uintptr_t>(&program));
  const auto problem = folder / (unique + ".mps"), answer = folder / (unique + ".txt");
  std::ofstream(problem) << write_mps(program);
  const auto command = "glpsol --freemps " + problem.string() + " -w " + answer.string() + " > " +
                       (folder / (unique + ".log")).string() + " 2>&1";
  const bool ran = std::system(command.c_str()) == 0;
  std::istringstream text(ran ? text_of(answer) : "");
  std::string line, objective;
  while (std::getline(text, line))
    if (line.starts_with("s bas")) objective = line.substr(line.rfind(' ') + 1);
  for (const auto* end : {".mps", ".txt", ".log"}) std::filesystem::remove(folder / (unique + end));
  return objective;
}

TEST(Glpk, AgreesOnProgramsThatWeWrite) {
  if (std::system("command -v glpsol > /dev/null 2>&1") != 0) GTEST_SKIP() << "glpsol is not installed";
  for (int seed = 0; seed < 25; ++seed) {
    const LinearProgram program = random_program(seed, 15, 40);
    const LpSolution solution = solve(program);
    const std::string objective = glpsol_objective(program);
    ASSERT_FALSE(objective.empty()) << "seed " << seed;
    EXPECT_NEAR(std::stod(objective), solution.objective, 1e-7 * std::max(1.0, std::abs(solution.objective)))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace lips::solver
