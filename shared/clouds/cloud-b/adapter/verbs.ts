import { certificates } from './certificates.ts'
import { keys } from './keys.ts'
import { logEntries } from './log.ts'
import { managedHsms, subscriptions, test, vault, vaults } from './management.ts'
import { secrets } from './secrets.ts'
import type { CloudB } from './types.ts'

export const cloudB: CloudB = {
  test,
  subscriptions,
  vaults,
  managedHsms,
  vault,
  logEntries,
  keys,
  secrets,
  certificates,
}
