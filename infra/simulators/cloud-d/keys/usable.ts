import { versionOf, type HeldKey, type HeldVersion } from '../state/held.ts'
import { requiredText, textAt } from '../wire/body.ts'
import type { Call } from '../wire/call.ts'
import { notFound } from '../wire/errors.ts'
import { keyWithId, requireState } from '../wire/found.ts'

/** An enabled version with its key. @throws ApiError NotAuthorizedOrNotFound, IncorrectState */
export function usable(call: Call, versionId?: string): { readonly key: HeldKey; readonly version: HeldVersion } {
  const key = keyWithId(call, requiredText(call.body, 'keyId'), 'use')
  requireState('The vault', call.vault(), 'ACTIVE')
  requireState('The key', key, 'ENABLED', 'UPDATING', 'BACKUP_IN_PROGRESS')
  const version = versionOf(key, versionId ?? textAt(call.body, 'keyVersionId') ?? key.current)
  if (version === undefined) throw notFound()
  requireState('The key version', version, 'ENABLED')
  return { key, version }
}
