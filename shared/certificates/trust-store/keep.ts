import { hash } from 'node:crypto'
import type * as Sdk from '@aws-sdk/client-apigatewayv2'
import { atOnce } from '../../base/at-once.ts'
import { environment } from '../../base/environment.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { reached, type Sweep } from '../../base/time.ts'
import { pageOf } from '../../store/list.ts'
import { objectAddress, objectText, putObject } from '../../store/objects.ts'
import { continued } from './chain.ts'
import { trustedAuthorities } from './store.ts'

/** Maximum number of certificates in a trust store, by the quota of the HTTP API. */
const CERTIFICATES_MOST = 1_000
const PAGE = 1_000

let client: Sdk.ApiGatewayV2Client | undefined

async function gateway(): Promise<{ api: Sdk.ApiGatewayV2Client; sdk: typeof Sdk }> {
  const sdk = await import('@aws-sdk/client-apigatewayv2')
  client ??= new sdk.ApiGatewayV2Client()
  return { api: client, sdk }
}

/** Certificates in PEM, without duplicates, in a constant order. */
function bundled(pems: readonly string[]): string {
  const blocks = pems.flatMap((pem) => pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [])
  const unique = [...new Set(blocks.map((block) => block.replaceAll('\r', '')))].sort()
  if (unique.length > CERTIFICATES_MOST)
    throw new Error(`A trust store has ${CERTIFICATES_MOST} certificates at most, and these are ${unique.length}`)
  return `${unique.join('\n')}\n`
}

const AT_ONCE = 8

/**
 * Ours: extends chains that were stored without their authority of the root domain. @throws Error, a fault, when there
 * are more than the front door's quota
 */
async function trustedChains(now: Date): Promise<string[]> {
  const { total, items } = await pageOf(trustedAuthorities, ROOT_DOMAIN_ID, 'all', { skip: 0, limit: PAGE })
  if (total > PAGE) throw new Error(`A trust store has ${PAGE} authorities at most, and these are ${total}`)
  const valid = items.filter(({ item }) => !reached(item.notAfter, now))
  return (await atOnce(valid, AT_ONCE, ({ item }) => continued(item.chain))).flat()
}

/**
 * Makes the host name with mutual TLS accept exactly the certificates of those authorities that authenticate callers,
 * and of those that the deployment names. It compares the present state with the required one, so it may run at any
 * time, twice, and stop anywhere. Ours: each trust store is a separate object, named by its content, so that a change
 * is a new address.
 * @returns whether anything was changed; always false in a deployment without such a host name
 */
export async function keepTrustStore({ now }: Sweep): Promise<{ changed: boolean }> {
  const { KEYMGR_MTLS_DOMAIN: DomainName, KEYMGR_MTLS_ROOTS: roots } = environment()
  if (DomainName === undefined || roots === undefined) return { changed: false }
  const text = bundled([await objectText(roots), ...(await trustedChains(now))])
  const key = `trust-store/${hash('sha256', text)}.pem`
  const wanted = objectAddress(key)
  const { api, sdk } = await gateway()
  const { MutualTlsAuthentication: present } = await api.send(new sdk.GetDomainNameCommand({ DomainName }))
  if (present?.TruststoreUri === wanted) return { changed: false }
  await putObject(key, 'application/x-pem-file', ReadableStream.from([text]))
  await api.send(new sdk.UpdateDomainNameCommand({ DomainName, MutualTlsAuthentication: { TruststoreUri: wanted } }))
  return { changed: true }
}
