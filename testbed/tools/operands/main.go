// Stands in for the programs of NVIDIA's images on a node of the test bed: the name by which it is called says for
// which. It does what other components of the node see of them, in their order, and nothing else. What each does was
// read in the sources of v26.7's images:
//
//	nvidia-validator       NVIDIA/gpu-operator, cmd/nvidia-validator/main.go
//	nvidia-toolkit         NVIDIA/nvidia-container-toolkit, cmd/nvidia-ctk-installer
//	nvidia-device-plugin   NVIDIA/k8s-device-plugin, cmd/nvidia-device-plugin/main.go, internal/plugin/server.go
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	plugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const (
	validations = "/run/nvidia/validations/"
	resource    = "nvidia.com/gpu"
	list        = "/etc/gpus"
)

// Set by the linker.
var version = "unknown"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println(filepath.Base(os.Args[0]), version)
		return
	}
	if err := run(filepath.Base(os.Args[0])); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(name string) error {
	switch name {
	case "nvidia-validator":
		return validate(os.Getenv("COMPONENT"))
	case "nvidia-toolkit":
		return setUpRuntime()
	case "nvidia-device-plugin":
		return servePlugin()
	case "driver-manager":
		return nil // no driver is loaded, so there is nothing to unload
	case "config-manager":
		if os.Getenv("ONESHOT") == "true" {
			return nil
		}
	case "sleep":
		seconds, err := strconv.Atoi(os.Args[1])
		time.Sleep(time.Duration(seconds) * time.Second)
		return err
	case "dcgm-exporter":
		go func() {
			http.HandleFunc("/health", func(http.ResponseWriter, *http.Request) {})
			fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Getenv("DCGM_EXPORTER_LISTEN"), nil))
		}()
	}
	<-stopped()
	return nil
}

func stopped() <-chan os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	return signals
}

// The driver's container says by a file that it is ready; the others are taken for validated.
func validate(component string) error {
	text := ""
	if component == "driver" {
		for !exists(validations + ".driver-ctr-ready") {
			fmt.Println("waiting for the driver container")
			time.Sleep(time.Second)
		}
		text = "IS_HOST_DRIVER=false\nNVIDIA_DRIVER_ROOT=/run/nvidia/driver\nDRIVER_ROOT_CTR_PATH=/driver-root\n" +
			"NVIDIA_DEV_ROOT=/run/nvidia/driver\nDEV_ROOT_CTR_PATH=/driver-root\n"
	}
	return os.WriteFile(validations+component+"-ready", []byte(text), 0o644)
}

// Writes handlers into a file beside the runtime's own, restarts it, and takes both back when it ends.
func setUpRuntime() error {
	root := os.Getenv("ROOT") + "/toolkit"
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	program := root + "/nvidia-container-runtime"
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec runc \"$@\"\n"), 0o755); err != nil {
		return err
	}
	file := os.Getenv("RUNTIME_DROP_IN_CONFIG")
	var text strings.Builder
	text.WriteString("version = 3\n")
	for _, handler := range []string{"nvidia", "nvidia-cdi", "nvidia-legacy"} {
		table := "plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes." + handler
		fmt.Fprintf(&text, "[%s]\nruntime_type = 'io.containerd.runc.v2'\n[%s.options]\nBinaryName = '%s'\n",
			table, table, program)
	}
	stop := stopped()
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		return err
	}
	if err := restartContainerd(); err != nil {
		return err
	}
	<-stop
	if err := os.Remove(file); err != nil {
		return err
	}
	return restartContainerd()
}

// RESTART_MODE "signal": SIGHUP to the process at the other end of the socket.
func restartContainerd() error {
	connection, err := net.Dial("unix", os.Getenv("RUNTIME_SOCKET"))
	if err != nil {
		return err
	}
	defer connection.Close()
	raw, err := connection.(*net.UnixConn).SyscallConn()
	if err != nil {
		return err
	}
	var peer *syscall.Ucred
	var failure error
	if err := raw.Control(func(fd uintptr) {
		peer, failure = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if failure != nil {
		return failure
	}
	return syscall.Kill(int(peer.Pid), syscall.SIGHUP)
}

// Registers once, and again only when the kubelet's socket is another one.
func servePlugin() error {
	stop := stopped()
	for {
		kubelet, err := os.Stat(plugin.KubeletSocket)
		if err != nil {
			return err
		}
		server, err := start()
		if err != nil {
			return err
		}
		for os.SameFile(kubelet, now()) {
			select {
			case <-stop:
				server.Stop()
				_ = os.Remove(socket())
				return nil
			case <-time.After(time.Second):
			}
		}
		server.Stop()
	}
}

func now() os.FileInfo {
	kubelet, err := os.Stat(plugin.KubeletSocket)
	for err != nil {
		time.Sleep(time.Second)
		kubelet, err = os.Stat(plugin.KubeletSocket)
	}
	return kubelet
}

func socket() string {
	return plugin.DevicePluginPath + "nvidia-gpu.sock"
}

func start() (*grpc.Server, error) {
	devices, err := gpus()
	if err != nil {
		return nil, err
	}
	_ = os.Remove(socket())
	listener, err := net.Listen("unix", socket())
	if err != nil {
		return nil, err
	}
	server := grpc.NewServer()
	plugin.RegisterDevicePluginServer(server, &service{devices: devices})
	go func() { _ = server.Serve(listener) }()
	connection, err := grpc.NewClient("unix://"+plugin.KubeletSocket,
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	_, err = plugin.NewRegistrationClient(connection).Register(context.Background(), &plugin.RegisterRequest{
		Version:      plugin.Version,
		Endpoint:     filepath.Base(socket()),
		ResourceName: resource,
		Options:      &plugin.DevicePluginOptions{GetPreferredAllocationAvailable: true},
	})
	fmt.Printf("registered %d devices: %v\n", len(devices), err)
	return server, err
}

// By a list, as it has no NVML: in its image, or in the file GPU_LIST.
func gpus() ([]*plugin.Device, error) {
	file := os.Getenv("GPU_LIST")
	if file == "" {
		file = list
	}
	text, err := os.ReadFile(file)
	var devices []*plugin.Device
	for _, uuid := range strings.Fields(string(text)) {
		devices = append(devices, &plugin.Device{ID: uuid, Health: plugin.Healthy})
	}
	return devices, err
}

type service struct {
	plugin.UnimplementedDevicePluginServer
	devices []*plugin.Device
}

func (s *service) GetDevicePluginOptions(context.Context, *plugin.Empty) (*plugin.DevicePluginOptions, error) {
	return &plugin.DevicePluginOptions{GetPreferredAllocationAvailable: true}, nil
}

func (s *service) ListAndWatch(_ *plugin.Empty, stream plugin.DevicePlugin_ListAndWatchServer) error {
	if err := stream.Send(&plugin.ListAndWatchResponse{Devices: s.devices}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (s *service) GetPreferredAllocation(_ context.Context, asked *plugin.PreferredAllocationRequest) (*plugin.PreferredAllocationResponse, error) {
	answer := &plugin.PreferredAllocationResponse{}
	for _, container := range asked.ContainerRequests {
		answer.ContainerResponses = append(answer.ContainerResponses, &plugin.ContainerPreferredAllocationResponse{
			DeviceIDs: container.AvailableDeviceIDs[:container.AllocationSize],
		})
	}
	return answer, nil
}

func (s *service) Allocate(_ context.Context, asked *plugin.AllocateRequest) (*plugin.AllocateResponse, error) {
	answer := &plugin.AllocateResponse{}
	for _, container := range asked.ContainerRequests {
		answer.ContainerResponses = append(answer.ContainerResponses, &plugin.ContainerAllocateResponse{
			Envs: map[string]string{"NVIDIA_VISIBLE_DEVICES": strings.Join(container.DevicesIds, ",")},
		})
	}
	return answer, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
