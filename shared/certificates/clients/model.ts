import * as z from 'zod'
import { anyOf, anyPatterns, anyText, anyTexts, listQuery, oneText } from '../../http/lists/list-query.ts'
import { CLIENT_STATES, RegisteredClient } from '../../identity/clients/model.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'
import { REASONS } from '../issued/model.ts'

/** A fingerprint as tools print it: colons and case are ignored. */
const Fingerprint = z.string().min(1).max(1_024)

export const ClientQuery = listQuery(RegisteredClient, () => ({
  ...anyPatterns('client_name'),
  ...anyTexts('id', 'client_id', 'ca_id', 'client_mgmt_profile_id'),
  sha256_fingerprint: anyText(Fingerprint).optional(),
  state: anyOf(CLIENT_STATES).optional(),
  client_metadata: oneText()
    .optional()
    .meta({ description: 'a JSON object, whose members the metadata of a client must have' }),
}))
export type ClientQuery = z.infer<typeof ClientQuery>

export const RevokeClient = strictObject(() => ({ reason: z.enum(REASONS).default('unspecified') }))
export type RevokeClient = z.infer<typeof RevokeClient>

export const ServerFingerprint = object(() => ({ sha256_fingerprint: z.string().meta({ description: 'in hex' }) }))
export type ServerFingerprint = z.infer<typeof ServerFingerprint>
