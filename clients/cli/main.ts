#!/usr/bin/env node
/**
 * keymgr <words> [options]
 * The command line of the service. This file answers `--version`; everything else is loaded on demand, from code that
 * Node keeps compiled in a folder of the user.
 */
import { mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'

declare const KEYMGR_VERSION: string

/** Compiled code runs with the user's rights, so its folder is one that no other user can write to. */
function keepCompiled(): void {
  const folder = `${process.env.XDG_CACHE_HOME ?? `${homedir()}/.cache`}/keymgr`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    enableCompileCache(folder)
  } catch {
    // without it, the start takes longer
  }
}

if (process.argv[2] === '--version') process.stdout.write(`keymgr ${KEYMGR_VERSION}\n`)
else {
  keepCompiled()
  const { run } = await import('./run.ts')
  process.exitCode = await run(process.argv.slice(2))
}
