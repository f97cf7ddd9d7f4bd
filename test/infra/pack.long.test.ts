import { execFileSync, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { pack } from '../../infra/pack.ts'
import { BUNDLES } from '../support/build.ts'
import { expectNoHang } from '../support/hang.ts'

/** The packed files are installed into empty folders, away from the checkout, and run there. */
const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-pack-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

let packed: Record<string, string> = {}
beforeAll(async () => {
  packed = await pack({ outDir: path.join(folder, 'packages'), functions: BUNDLES })
}, 300_000)

/** Installs a package globally, below an empty folder. @returns the folder of its programs */
function installed(name: string, ...options: string[]): string {
  const prefix = path.join(folder, `installed-${name}`)
  const args = ['install', '--global', '--prefix', prefix, '--loglevel', 'error', ...options, packed[name] ?? '']
  execFileSync('npm', args, { cwd: tmpdir() })
  return path.join(prefix, 'bin')
}

const environment = { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder }

const outputOf = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', env: environment, cwd: folder })

test('keymgr-cli has the command line and the verifier, and needs no other package', () => {
  const bin = installed('keymgr-cli', '--offline')
  expect(outputOf(path.join(bin, 'keymgr'), '--version')).toBe(`keymgr ${packageJson.version}\n`)
  expect(outputOf(path.join(bin, 'keymgr'), 'vault', 'keys', '--help')).toContain('rotate <id>')
  expect(() => execFileSync(path.join(bin, 'keymgr-verify'), { env: environment, stdio: 'pipe' })).toThrow('Usage')
})

test('keymgr-sdk is imported by its name', () => {
  const modules = path.join(installed('keymgr-sdk', '--prefer-offline'), '../lib/node_modules')
  const program = path.join(folder, 'program.mjs')
  fs.symlinkSync(modules, path.join(folder, 'node_modules'))
  fs.writeFileSync(program, "import { createKeymgr } from 'keymgr-sdk'\nconsole.log(typeof createKeymgr)\n")
  expect(outputOf(process.execPath, program)).toBe('function\n')
})

test('keymgr-local runs the whole service by itself, and becomes ready', async () => {
  const bin = installed('keymgr-local', '--offline')
  expect(outputOf(path.join(bin, 'keymgr-local'), '--help')).toMatch(/^Usage: keymgr-local \[options\]\n/)
  const begun = performance.now()
  const args = ['--port', '0', '--tls-port', '0', '--data-dir', path.join(folder, 'data')]
  const child = spawn(path.join(bin, 'keymgr-local'), args, { env: environment, cwd: folder })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let out = ''
  const ready = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
      const [, url] = /Base address +(\S+)\/api\n/.exec(out) ?? []
      if (url !== undefined) resolve(url)
    })
  })
  const url = await Promise.race([ready, ended.then(() => Promise.reject(new Error(out)))])
  expectNoHang(begun)
  expect(out).not.toContain('npm run')
  const health = await fetch(`${url}/health`)
  expect({ status: health.status, body: await health.json() }).toEqual({ status: 200, body: { status: 'ok' } })
  for (const page of ['/console/', '/api/guide/', '/api/v1/openapi.json'])
    expect((await fetch(`${url}${page}`)).status, page).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})
