declare module '@micropython/micropython-webassembly-pyscript/micropython.mjs' {
  export interface EmscriptenFiles {
    mkdirTree(path: string): void;
    writeFile(path: string, bytes: Uint8Array | string): void;
    readFile(path: string): Uint8Array;
    readdir(path: string): string[];
    stat(path: string): { mode: number };
    isDir(mode: number): boolean;
    rename(from: string, to: string): void;
    ErrnoError: new (errno: number) => Error;
  }

  export interface MicroPythonModule {
    FS: EmscriptenFiles;
    registerJsModule(name: string, module: object): void;
    replInit(): void;
    runPython(code: string): unknown;
    replProcessChar(byte: number): number;
  }

  export function loadMicroPython(options: {
    heapsize?: number;
    linebuffer?: boolean;
    stdout?: (bytes: Uint8Array) => void;
    stderr?: (bytes: Uint8Array) => void;
  }): Promise<MicroPythonModule>;
}
