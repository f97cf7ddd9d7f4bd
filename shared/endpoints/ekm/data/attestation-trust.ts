import type { AttestationTrust } from '../../../attestation/verify.ts'
import type { Moment } from '../../../base/moment.ts'
import type { MaybePromise } from '../../../serving/maybe-promise.ts'

const NONE: AttestationTrust = {
  machines: { roots: [], intermediates: [] },
  processors: { roots: [], intermediates: [] },
}

/** The authorities whose evidence this deployment accepts. @throws Refusal UNAVAILABLE */
export const attestationTrust = (_now: Moment): MaybePromise<AttestationTrust> => NONE
