import type { Fields } from '../../../base/json.ts'
import { bytesIn, invalid, textIn } from './message.ts'

/** What the cloud itself encrypts at most, and what it adds to it. */
export const PLAINTEXT_BYTES = 65_536 + 1_024
const AAD_BYTES = 65_536
const PATH_CHARACTERS = 1_024

/** A message that names a key beside the address must name the same. @throws EkmRefusal INVALID_ARGUMENT */
export function assertKeyPath(fields: Fields, kekId: string): void {
  const path = textIn(fields, 'keyPath', PATH_CHARACTERS)
  textIn(fields, 'keyUriPrefix', PATH_CHARACTERS)
  if (path !== '' && path !== kekId && !path.endsWith(`/${kekId}`))
    throw invalid('keyPath names another key than the address.')
}

/** Absent and empty are the same. @throws EkmRefusal INVALID_ARGUMENT */
export const aadIn = (fields: Fields): Buffer => bytesIn(fields, 'additionalAuthenticatedData', AAD_BYTES)
