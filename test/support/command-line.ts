import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect } from 'vitest'
import { buildClient } from '../../infra/build-clients.ts'
import { ADMIN_PASSWORD, type Service } from './service.ts'

/** The end of a command: exit code and output. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

export interface RunOptions {
  readonly input?: string | Uint8Array
  readonly environment?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** The distributed command line, with its own home folder. It runs as processes, as for users. */
export class CommandLine {
  readonly folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-cli-'))
  readonly program = path.join(this.folder, 'keymgr.mjs')
  readonly home = path.join(this.folder, 'home')

  get environment(): Record<string, string> {
    return {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH ?? ''}`,
      HOME: this.home,
    }
  }

  start(args: readonly string[], { environment, cwd }: RunOptions = {}) {
    const env = { ...this.environment, ...environment }
    return spawn(process.execPath, [this.program, ...args], { env, ...(cwd !== undefined && { cwd }) })
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const child = this.start(args, options)
    child.stdin.on('error', () => undefined) // it may exit before it has read everything
    child.stdin.end(options.input ?? '')
    const [[code], out, error] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
    return { code: code as number | null, out, error }
  }

  /** Logs in as the administrator of the service's domain. */
  logIn({ deployment, domainField }: Service): Promise<Ended> {
    const { domain } = domainField
    const words = ['login', '--url', deployment.baseUrl, '--name', 'admin']
    if (domain !== undefined) words.push('--domain', domain)
    return this.run(words, { environment: { KEYMGR_PASSWORD: ADMIN_PASSWORD } })
  }

  /** Runs a command that must succeed. @returns its output */
  async done(...args: string[]): Promise<string> {
    const { code, out, error } = await this.run(args)
    expect(code, `keymgr ${args.join(' ')}\n${error}`).toBe(0)
    return out
  }

  // Untyped: assertions read answers field by field, and fail on missing ones.
  async json(...args: string[]): Promise<any> {
    return JSON.parse(await this.done(...args, '-o', 'json'))
  }

  /** Every file below the home folder. */
  files(): string[] {
    return fs
      .readdirSync(this.home, { recursive: true, withFileTypes: true })
      .flatMap((entry) => (entry.isFile() ? [path.join(entry.parentPath, entry.name)] : []))
  }
}

/** A command line for the tests of one file. */
export function useCommandLine(): CommandLine {
  const commandLine = new CommandLine()
  beforeAll(async () => {
    fs.mkdirSync(commandLine.home)
    await buildClient('cli', commandLine.folder)
  })
  afterAll(() => fs.rmSync(commandLine.folder, { recursive: true }))
  return commandLine
}
