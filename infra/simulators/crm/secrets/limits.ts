import { HOUR_MS, type SecretType } from '../state/held.ts'
import type { Call } from '../wire/call.ts'
import { broken } from '../wire/errors.ts'
import { LAST_SEARCH_SECRETS, MOST_OF_A_TYPE, RULES } from './rules.ts'

/** @throws ApiError FIELD_INTEGRITY_EXCEPTION */
export function requireOffered({ organization, version }: Call, type: SecretType): void {
  if (type === 'SearchIndex' && organization.settings.isHyperforce && version > LAST_SEARCH_SECRETS)
    throw broken('Keys of the search index are data encryption keys.', 'Type')
}

/** @throws ApiError FIELD_INTEGRITY_EXCEPTION */
export function requireRoom({ state, organization }: Call, type: SecretType): void {
  const kept = state.secrets(organization.id).filter((each) => each.type === type && each.status !== 'DESTROYED')
  if (RULES[type].isManaged && kept.length >= MOST_OF_A_TYPE)
    throw broken(
      `You have ${MOST_OF_A_TYPE} active and archived tenant secrets of the type ${type}. Destroy an archived one first.`,
    )
}

/** @throws ApiError FIELD_INTEGRITY_EXCEPTION */
export function requireInterval({ state, organization, intervals }: Call, type: SecretType): void {
  if (intervals() === 'off') return
  const least = RULES[type].interval[organization.isSandbox ? 'sandbox' : 'production']
  const ofType = state.secrets(organization.id).filter((each) => each.type === type)
  const isEarly = ofType.some(({ createdAt }) => state.now() - createdAt < least)
  if (isEarly) throw broken(`You can create a tenant secret of the type ${type} once every ${least / HOUR_MS} hours.`)
}
