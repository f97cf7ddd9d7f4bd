import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { writeApiTypes } from './api-types.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCE = path.join(ROOT, 'clients/sdk')

interface Manifest {
  readonly version: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
}

const manifestOf = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest // trusted

/** The types of the bundles need the types of openapi-fetch, whose code is in the bundles. */
function writeManifest(folder: string): void {
  const { version, license } = manifestOf(path.join(ROOT, 'package.json'))
  const { dependencies } = manifestOf(path.join(SOURCE, 'package.json'))
  const entry = (name: string) => ({ types: `./types/${name}.d.ts`, default: `./${name}.mjs` })
  const manifest = {
    name: 'keymgr-sdk',
    version,
    description: 'Client library of keymgr, for Node and browsers.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=24' },
    exports: { '.': entry('index'), './node': entry('node') },
    files: ['*.mjs', '*.txt', 'types', 'README.md'],
    dependencies,
  }
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

/** Declarations in the form that compilers without `allowImportingTsExtensions` accept. */
const withoutExtensions = (text: string): string => text.replace(/(['"])(\.\/[\w-]+)(?:\.d)?\.ts\1/g, '$1$2.js$1')

function emitTypes(outDir: string): void {
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: { compilerOptions: object }
  }
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...config.compilerOptions, noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: SOURCE, outDir },
    ROOT,
  )
  const program = ts.createProgram([path.join(SOURCE, 'index.ts'), path.join(SOURCE, 'node.ts')], options)
  const { emitSkipped, diagnostics } = program.emit(undefined, (file, text) => {
    writeFileSync(file, withoutExtensions(text))
  })
  if (emitSkipped) throw new Error(ts.flattenDiagnosticMessageText(diagnostics[0]?.messageText, '\n'))
}

/** Makes the folder a package with manifest, types and README, for `npm install <folder>` and `npm pack`. */
export async function packSdk(folder: string): Promise<void> {
  await writeApiTypes()
  const types = path.join(folder, 'types')
  mkdirSync(types, { recursive: true })
  emitTypes(types)
  copyFileSync(path.join(SOURCE, 'api.d.ts'), path.join(types, 'api.d.ts'))
  copyFileSync(path.join(SOURCE, 'README.md'), path.join(folder, 'README.md'))
  writeManifest(folder)
}
