import { DAY_MS, type AutoRotation, type HeldVault } from '../state/held.ts'
import { flagAt, isObject } from '../wire/body.ts'
import type { Call } from '../wire/call.ts'
import { invalid } from '../wire/errors.ts'

const DAYS = { least: 60, standard: 90, most: 365 } as const

/**
 * The automatic rotation in a request, or the present one.
 * @throws ApiError InvalidParameter
 */
export function autoRotationIn(
  { body, state }: Call,
  vault: HeldVault,
  before?: AutoRotation,
): AutoRotation | undefined {
  const isEnabled = flagAt(body, 'isAutoRotationEnabled')
  if (isEnabled === undefined) return before
  if (!isEnabled) return undefined
  if (vault.vaultType !== 'VIRTUAL_PRIVATE') throw invalid('Automatic rotation needs a virtual private vault.')
  const details = body.autoKeyRotationDetails
  const days = isObject(details) ? details.rotationIntervalInDays : undefined
  if (days === undefined) return before ?? { days: DAYS.standard, nextAt: state.now() + DAYS.standard * DAY_MS }
  if (typeof days !== 'number' || !Number.isInteger(days) || days < DAYS.least || days > DAYS.most)
    throw invalid(`rotationIntervalInDays must be ${DAYS.least} to ${DAYS.most}.`)
  return { days, nextAt: state.now() + days * DAY_MS }
}
