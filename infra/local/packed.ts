#!/usr/bin/env node
/** `keymgr-local`: the whole service as a package, with its functions beside this file. `infra/pack.ts` makes it. */
import { fileURLToPath } from 'node:url'
import { run } from './run.ts'

run({ bundles: fileURLToPath(new URL('functions', import.meta.url)), command: 'keymgr-local' })
