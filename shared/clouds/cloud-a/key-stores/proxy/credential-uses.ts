import type { DeliveredLine } from '../../../../audit/line-reader.ts'
import { noteCredentialUse } from '../credential-use.ts'
import { readLine } from '../../../../serving/access-log.ts'
import { XKS_ACCESS_LOG } from './access-log.ts'

/**
 * Records when credentials of key stores were last used, from log lines of the data plane. @throws Refusal UNAVAILABLE
 */
export async function keepCredentialUses(lines: readonly DeliveredLine[]): Promise<void> {
  const latest = new Map<string, { domain: string; store: string; credential: string; at: Date }>()
  for (const { at, line } of lines) {
    const { domain, keyStore: store, used: credential } = readLine(XKS_ACCESS_LOG, line) ?? {}
    if (domain === undefined || store === undefined || credential === undefined) continue
    const before = latest.get(credential)
    if (before === undefined || before.at < at) latest.set(credential, { domain, store, credential, at })
  }
  for (const use of latest.values()) await noteCredentialUse(use)
}
