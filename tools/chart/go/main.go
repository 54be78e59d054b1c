// Renders a Helm chart as `helm template` does, for machines without Helm: Go's templates, sprig, and what Helm adds to them.
//
// Reads a request from standard input (the chart's folder, the release, values that are already merged and checked) and writes the rendered
// templates to standard output, both as JSON. A template that fails ends it with 1 and the reason on standard error.
//
// Not supported, because the chart does not need it: subcharts, library charts, lookup of objects in a cluster (as in `helm template`, it finds none).
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v2"
)

type request struct {
	Chart       string                 `json:"chart"`
	Release     string                 `json:"release"`
	Namespace   string                 `json:"namespace"`
	APIVersions []string               `json:"apiVersions"`
	Values      map[string]interface{} `json:"values"`
}

// As deep as Helm lets templates include each other.
const includesMax = 1000

func main() {
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		fail(err)
	}
	rendered, err := render(asked)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(rendered); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// Returns the text of each template that is not a partial (a name that begins with an underscore).
func render(asked request) (map[string]string, error) {
	found, err := readFiles(asked.Chart, "")
	if err != nil {
		return nil, err
	}
	chart := map[string]interface{}{}
	if err := yaml.Unmarshal(found["Chart.yaml"], &chart); err != nil {
		return nil, err
	}
	others := files{}
	templates := map[string]string{}
	name := fmt.Sprint(chart["name"])
	for file, data := range found {
		switch {
		case strings.HasPrefix(file, "templates/"):
			templates[path.Join(name, file)] = string(data)
		case file != "Chart.yaml" && file != "values.yaml" && file != "values.schema.json":
			others[file] = data
		}
	}

	scope := map[string]interface{}{
		"Values": asked.Values,
		"Files":  others,
		"Chart":  titled(chart),
		"Release": map[string]interface{}{
			"Name": asked.Release, "Namespace": asked.Namespace, "Service": "Helm", "IsInstall": true, "IsUpgrade": false, "Revision": 1,
		},
		"Capabilities": map[string]interface{}{
			"APIVersions": apiVersions(asked.APIVersions),
			"KubeVersion": kubeVersion{Version: "v1.30.0", Major: "1", Minor: "30"},
		},
	}

	root := template.New("gotpl").Option("missingkey=zero")
	root.Funcs(functions(root))
	names := sortedKeys(templates)
	for _, file := range names {
		if _, err := root.New(file).Parse(templates[file]); err != nil {
			return nil, fmt.Errorf("parse error at (%s): %w", file, err)
		}
	}
	rendered := map[string]string{}
	for _, file := range names {
		if strings.HasPrefix(path.Base(file), "_") {
			continue
		}
		scope["Template"] = map[string]interface{}{"Name": file, "BasePath": path.Join(name, "templates")}
		var text strings.Builder
		if err := root.ExecuteTemplate(&text, file, scope); err != nil {
			return nil, fmt.Errorf("execution error at (%s): %w", file, err)
		}
		// Go writes this for a missing key; Helm removes it.
		rendered[strings.TrimPrefix(file, name+"/")] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return rendered, nil
}

// Functions of sprig without those that Helm removes, and those that Helm adds.
func functions(root *template.Template) template.FuncMap {
	depth := map[string]int{}
	all := sprig.TxtFuncMap()
	delete(all, "env")
	delete(all, "expandenv")
	all["getHostByName"] = func(string) string { return "" }
	all["toYaml"] = toYaml
	all["toJson"] = func(value interface{}) string {
		data, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		return string(data)
	}
	all["fromYaml"] = func(text string) map[string]interface{} {
		read, err := readYaml(text)
		if object, ok := read.(map[string]interface{}); ok && err == nil {
			return object
		}
		if read == nil && err == nil {
			return map[string]interface{}{}
		}
		return map[string]interface{}{"Error": fmt.Sprintf("no object: %v", err)}
	}
	all["fromYamlArray"] = func(text string) []interface{} {
		read, err := readYaml(text)
		if list, ok := read.([]interface{}); ok && err == nil {
			return list
		}
		return []interface{}{fmt.Sprintf("no list: %v", err)}
	}
	all["fromJson"] = func(text string) map[string]interface{} {
		object := map[string]interface{}{}
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			object["Error"] = err.Error()
		}
		return object
	}
	all["lookup"] = func(string, string, string, string) map[string]interface{} { return map[string]interface{}{} }
	all["fail"] = func(message string) (string, error) { return "", fmt.Errorf("%s", message) }
	all["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return value, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	all["include"] = func(name string, data interface{}) (string, error) {
		if depth[name] >= includesMax {
			return "", fmt.Errorf("rendering template has a nested reference name: %s", name)
		}
		depth[name]++
		defer func() { depth[name]-- }()
		var text strings.Builder
		err := root.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	all["tpl"] = func(source string, data interface{}) (string, error) {
		copied, err := root.Clone()
		if err != nil {
			return "", err
		}
		parsed, err := copied.New("tpl").Parse(source)
		if err != nil {
			return "", err
		}
		var text strings.Builder
		err = parsed.Execute(&text, data)
		return strings.ReplaceAll(text.String(), "<no value>", ""), err
	}
	return all
}

// As Helm writes YAML: keys in order, lists not indented, whole numbers without an exponent.
func toYaml(value interface{}) string {
	data, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	// JSON is YAML, and yaml.v2 reads whole numbers in it as integers.
	var read interface{}
	if err := yaml.Unmarshal(data, &read); err != nil {
		return ""
	}
	text, err := yaml.Marshal(read)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}

// As Helm reads YAML: through JSON, so that keys are strings and all numbers are floating-point.
func readYaml(text string) (interface{}, error) {
	var read interface{}
	if err := yaml.Unmarshal([]byte(text), &read); err != nil {
		return nil, err
	}
	data, err := json.Marshal(withStringKeys(read))
	if err != nil {
		return nil, err
	}
	var value interface{}
	err = json.Unmarshal(data, &value)
	return value, err
}

func withStringKeys(value interface{}) interface{} {
	switch typed := value.(type) {
	case map[interface{}]interface{}:
		object := map[string]interface{}{}
		for key, member := range typed {
			object[fmt.Sprint(key)] = withStringKeys(member)
		}
		return object
	case []interface{}:
		for i, member := range typed {
			typed[i] = withStringKeys(member)
		}
	}
	return value
}

// Fields of Chart.yaml as templates name them: .Chart.AppVersion.
func titled(chart map[string]interface{}) map[string]interface{} {
	object := map[string]interface{}{}
	for key, value := range chart {
		object[strings.ToUpper(key[:1])+key[1:]] = withStringKeys(value)
	}
	return object
}

type apiVersions []string

// Has tells whether the cluster knows a version (`apps/v1`) or a kind (`apps/v1/Deployment`).
func (versions apiVersions) Has(wanted string) bool {
	for _, version := range versions {
		if version == wanted {
			return true
		}
	}
	return false
}

type kubeVersion struct{ Version, Major, Minor string }

func (version kubeVersion) String() string     { return version.Version }
func (version kubeVersion) GitVersion() string { return version.Version }

// Files of the chart that are not templates, as `.Files`.
type files map[string][]byte

func (all files) Get(name string) string      { return string(all[name]) }
func (all files) GetBytes(name string) []byte { return all[name] }

// Glob differs from Helm's in that `**` is not supported.
func (all files) Glob(pattern string) files {
	found := files{}
	for name, data := range all {
		if matched, _ := path.Match(pattern, name); matched {
			found[name] = data
		}
	}
	return found
}

func (all files) Lines(name string) []string {
	return strings.Split(strings.TrimSuffix(string(all[name]), "\n"), "\n")
}

func (all files) AsConfig() string {
	texts := map[string]string{}
	for name, data := range all {
		texts[path.Base(name)] = string(data)
	}
	return toYaml(texts)
}

func (all files) AsSecrets() string {
	texts := map[string]string{}
	for name, data := range all {
		texts[path.Base(name)] = base64.StdEncoding.EncodeToString(data)
	}
	return toYaml(texts)
}

// All files below a folder by path; follows symbolic links, as Helm does.
func readFiles(root string, below string) (map[string][]byte, error) {
	entries, err := os.ReadDir(filepath.Join(root, below))
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for _, entry := range entries {
		name := path.Join(below, entry.Name())
		about, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		if about.IsDir() {
			inside, err := readFiles(root, name)
			if err != nil {
				return nil, err
			}
			for file, data := range inside {
				found[file] = data
			}
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		found[name] = data
	}
	return found, nil
}

func sortedKeys(texts map[string]string) []string {
	keys := make([]string, 0, len(texts))
	for key := range texts {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
