import type * as z from 'zod'
import { anyOf, anyPatterns, anyText, anyTexts, flag, integer, listQuery, oneText } from '../../http/list-query.ts'
import { KEY_STATES, OBJECT_TYPES, USAGE_ALL } from './model.ts'

/** Filters of the list of local keys. */
export const LocalKeyQuery = listQuery(
  ['createdAt', 'updatedAt', 'name', 'version', 'state', 'algorithm', 'size', 'objectType'],
  {
    ...anyPatterns('name'),
    ...anyTexts('alias', 'id', 'uri'),
    version: integer(-1, 1_000_000_000).optional(),
    state: anyOf(KEY_STATES).optional(),
    objectType: anyOf(OBJECT_TYPES).optional(),
    algorithm: anyText().optional(),
    size: integer(0, 65_536).optional(),
    curveid: anyText().optional(),
    usageMask: integer(0, USAGE_ALL).optional(),
    labels: oneText().optional(),
    keyCheckValue: anyText().optional(),
    linkType: anyOf(['privateKey', 'publicKey']).optional(),
    ...anyTexts('sha1Fingerprint', 'sha256Fingerprint'),
    compareIDWithUUID: flag().optional(),
    unexportable: flag().optional(),
    undeletable: flag().optional(),
    metaContains: oneText().optional(),
    fields: anyOf(['meta', 'links'])
      .optional()
      .meta({ description: 'records always carry both; taken so that clients which ask for them are served' }),
  },
)
export type LocalKeyQuery = z.infer<typeof LocalKeyQuery>

export const KeyVersionQuery = listQuery(['createdAt', 'version'], {})
export type KeyVersionQuery = z.infer<typeof KeyVersionQuery>
