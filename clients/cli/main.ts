#!/usr/bin/env node
/**
 * keymgr <words> [options]
 * The command line of the service. This file answers `--version`; everything else is loaded on demand, from code that
 * Node keeps compiled in a folder of the user.
 */
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'

declare const KEYMGR_VERSION: string
declare const KEYMGR_NODE: number

/** Compiled code runs with the user's rights, so its folder is one that no other user can write to. */
async function keepCompiled(): Promise<void> {
  const folder = `${process.env.XDG_CACHE_HOME ?? `${homedir()}/.cache`}/keymgr`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { enableCompileCache } = await import('node:module') // older versions of Node lack it
    enableCompileCache(folder)
  } catch {
    // without it, the start takes longer
  }
}

async function main(): Promise<number> {
  const versions: { readonly node?: string } = process.versions // other engines may lack it
  const { node: version = '' } = versions
  if (!(Number.parseInt(version, 10) >= KEYMGR_NODE)) {
    process.stderr.write(
      `keymgr needs Node ${KEYMGR_NODE} or later; this is ${version === '' ? 'another engine' : version}.\n`,
    )
    return 1
  }
  if (process.argv[2] === '--version') {
    process.stdout.write(`keymgr ${KEYMGR_VERSION}\n`)
    return 0
  }
  await keepCompiled()
  const { run } = await import('./run.ts')
  return run(process.argv.slice(2))
}

process.exitCode = await main()
