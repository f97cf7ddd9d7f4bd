import { resolve } from 'node:path'
import { misused } from '../failures.ts'
import { configFile, readPrivate, writePrivate } from './private-files.ts'

/** How a profile logs in. */
export type Method = 'password' | 'device' | 'certificate'

/** The service and the log-in of a profile. It contains no secret: private keys are named by their files. */
export interface Profile {
  readonly url: string
  readonly method: Method
  readonly name?: string | undefined
  readonly domain?: string | undefined
  readonly auth_domain?: string | undefined
  readonly connection?: string | undefined
  readonly client_id?: string | undefined
  readonly certificate?: string | undefined
  readonly key?: string | undefined
  readonly ca?: string | undefined
  readonly insecure_http?: boolean | undefined
}

/** The absolute path of a file, since a profile is used in other folders too. */
export const absolute = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : resolve(file)

interface Config {
  /** the profile that was last logged in or selected */
  readonly current?: string | undefined
  readonly profiles: Readonly<Record<string, Profile>>
}

export function readConfig(): Config {
  const config = readPrivate(configFile()) as Partial<Config> | undefined
  return { current: config?.current, profiles: config?.profiles ?? {} }
}

export const writeConfig = (config: Config): void => writePrivate(configFile(), config)

/** A name that is a valid file name on every system. */
export function checkedName(name: string): string {
  if (/^[\w][\w.@-]{0,63}$/.test(name)) return name
  throw misused('The name of a profile has 1 to 64 letters, digits and . _ @ -, and begins with no sign.')
}

/** The name of the selected profile. */
export const profileName = (given: string | undefined): string =>
  checkedName(given ?? process.env.KEYMGR_PROFILE ?? readConfig().current ?? 'default')

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/**
 * The base address of a service, which ends in `/api`.
 * @throws Failure for an address without TLS on another host, where others could read passwords and tokens on the way
 */
export function addressOf(given: string, insecureHttp: boolean): string {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw misused('The address of a service is such as https://keymgr.example.com/api.')
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && !insecureHttp)
    throw misused(`${url.origin} has no TLS: passwords and tokens could be read on the way.`, [
      'Use https://, or --insecure-http where the way is safe.',
    ])
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path.endsWith('/api') ? path : `${path}/api`}`
}
