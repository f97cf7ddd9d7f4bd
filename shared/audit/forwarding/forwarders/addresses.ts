import { ruleBroken } from '../../../base/errors.ts'
import { AddressRefused, assertFetchable } from '../../../base/network/guarded-fetch.ts'
import { isLoopbackAllowed } from '../../../identity/connections/loopback.ts'
import { assertSyslogHost } from '../send/send-syslog.ts'

/** Addresses that targets of this deployment may have. */
export const reach = (): { readonly allowsLoopback: boolean } => ({ allowsLoopback: isLoopbackAllowed() })

function pointed(field: string, check: () => void, pointer?: string): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    throw ruleBroken(field, error.message, pointer)
  }
}

/** @throws Refusal RULE_BROKEN for a forbidden address */
export const assertWebhookUrl = (url: string): void =>
  pointed('url', () => assertFetchable(new URL(url), reach()), '#/webhook_params/url')

/** @throws Refusal RULE_BROKEN for a forbidden address */
export const assertHost = (host: string, pointer = '#/host'): void =>
  pointed('host', () => assertSyslogHost(host, reach()), pointer)
