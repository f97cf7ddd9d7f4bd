import { ruleBroken } from '../../../base/errors.ts'
import { Unreadable } from '../../../cloud/adapter/failures.ts'
import { namedAddress } from '../../../cloud/named-address.ts'
import type { CrmName } from '../param.ts'

const LOG_IN: Readonly<Record<CrmName, string>> = {
  production: 'https://login.salesforce.com',
  sandbox: 'https://test.salesforce.com',
}

/** Ends of the cloud's host names. */
const SUFFIXES = ['.salesforce.com', '.salesforce.mil', '.sfcrmproducts.cn', '.cloudforce.com']

const named = (): URL | undefined => {
  const address = namedAddress('CRM', 'LOGIN')
  return address === undefined ? undefined : new URL(address)
}

/** Ours: a simulated cloud may have a port for each organization, all on the host that the deployment configures. */
function isOfCloud(url: URL): boolean {
  const own = named()
  if (own !== undefined && url.hostname === own.hostname && url.protocol === own.protocol) return true
  return url.protocol === 'https:' && url.port === '' && SUFFIXES.some((suffix) => url.hostname.endsWith(suffix))
}

const isBare = ({ search, hash, username, password }: URL): boolean =>
  search === '' && hash === '' && username === '' && password === ''

/**
 * Whether credentials may be sent to a log-in host. Ours: only hosts of the cloud itself, and the simulated cloud that
 * the deployment configures, so that no user makes this service call another server.
 */
export function isLogInHost(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && isBare(url) && url.pathname === '/' && isOfCloud(url)
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, '')

/** Address of a connection's log-in, without a final slash. @throws Refusal RULE_BROKEN for a host of no cloud */
export function logInAddress(edition: CrmName, host: string | undefined): string {
  if (host === undefined) return withoutSlash(named()?.href ?? LOG_IN[edition])
  if (!isLogInHost(host)) throw ruleBroken('login_host', 'must be a host of the cloud, https://…')
  return withoutSlash(host)
}

/** The audience of an assertion. Ours: that of the edition, also for an organization's own domain and a simulated cloud. */
export const audienceOf = (edition: CrmName): string => LOG_IN[edition]

/** An organization's own address, which receives tokens. @throws Unreadable for any other address */
export function instanceAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !isBare(url) || !isOfCloud(url)) throw new Unreadable('the instance is none of the cloud')
  return withoutSlash(text)
}
