import { X509Certificate } from 'node:crypto'
import { ownRuleBroken, type StrategyKind } from '../strategies.ts'
import { faultOfDirectory } from './address.ts'
import { Directory } from './directory.ts'
import { ldapOf } from './model.ts'

/** @throws Error for a text that is not PEM of certificates */
const readCertificates = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? ['']).map(
    (one) => new X509Certificate(one),
  )

const works = (step: () => unknown): boolean => {
  try {
    step()
    return true
  } catch {
    return false
  }
}

export const ldapKind: StrategyKind = {
  secretField: 'bind_password',
  toldBy: ['url', 'start_tls', 'ca_cert'],
  check: async (connection, hasSecret) => {
    const { url, start_tls, ca_cert, bind_dn, user_filter, group_filter } = ldapOf(connection)
    const broken = (field: string, detail: string) => ownRuleBroken('ldap', field, detail)
    const fault = faultOfDirectory(url, start_tls)
    if (fault !== undefined) throw broken('url', fault)
    if (ca_cert !== undefined && !works(() => readCertificates(ca_cert)))
      throw broken('ca_cert', 'must be certificates in PEM')
    if ((bind_dn !== undefined) !== hasSecret)
      throw broken(hasSecret ? 'bind_dn' : 'bind_password', 'is required: bind_dn and bind_password go together')
    const { FilterParser } = await import('ldapts')
    for (const [field, filter] of Object.entries({ user_filter, group_filter }))
      if (!works(() => FilterParser.parseString(filter)))
        throw broken(field, 'must be a filter such as (objectClass=person)')
  },
  test: async (connection, secret) => new Directory(connection, secret).prove(),
}
