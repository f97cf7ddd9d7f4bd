import { readArguments, UsageError } from '../command/command-line.ts'

export type DemoOptions =
  /** a service that the demo starts, in memory */
  | { readonly of: 'own' }
  /** a running service; `baseUrl` without a slash at its end */
  | { readonly of: 'running'; readonly baseUrl: string; readonly password: string; readonly dataDir: string }

export const USAGE = `Usage: npm run demo -- [options]

Walks through the usual work with keys of cloud-a, over HTTP, and shows every call with its answer. Without --url it
starts a service of its own in memory, with a simulated cloud, and stops it in the end.

  --url <address>    a service that runs, such as http://127.0.0.1:8080/api (none)
  --data-dir <path>  of that service, whose endpoints.json tells where its simulated cloud is (.keymgr; KEYMGR_DATA_DIR)
  --help             this text

KEYMGR_ADMIN_PASSWORD is the administrator's password of the service that runs.
`

/** @returns `'help'` if help was requested. @throws UsageError */
export function parseDemoOptions(args: readonly string[], env: Readonly<NodeJS.ProcessEnv>): DemoOptions | 'help' {
  const { help, url, 'data-dir': dataDir } = readArguments(args, OPTIONS)
  if (help === true) return 'help'
  if (url === undefined) {
    if (dataDir !== undefined) throw new UsageError('--data-dir goes with --url.')
    return { of: 'own' }
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--url must be an address that begins with http:// or https://, not "${url}".`)
  const password = env.KEYMGR_ADMIN_PASSWORD
  if (!password) throw new UsageError("--url needs the administrator's password in KEYMGR_ADMIN_PASSWORD.")
  return {
    of: 'running',
    baseUrl: url.replace(/\/+$/, ''),
    password,
    dataDir: dataDir ?? (env.KEYMGR_DATA_DIR || '.keymgr'),
  }
}

const OPTIONS = {
  url: { type: 'string' },
  'data-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const
