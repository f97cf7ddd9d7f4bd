import * as z from 'zod'
import { FreeJson, Labelled, Labels, Name, Resource, Time, FreeText } from '../../http/common-fields.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'
import { lastTest } from '../../http/connection-test.ts'

export const CATEGORIES = ['cloud', 'log-forwarder'] as const

/** Default purpose of a connection: containers of this service. */
export const OWN_PRODUCT = 'keymgr'
const Products = z
  .array(z.string().min(1).max(64))
  .min(1)
  .max(20)
  .meta({ description: `products that may use the connection; ${OWN_PRODUCT} unless said otherwise` })

/** Ours: at most ten years, like an authority's own certificate. */
const CERTIFICATE_DAYS_MOST = 3_650
export const CERTIFICATE_DAYS_DEFAULT = 730
/** Days for which a certificate that is made for a connection is valid. */
export const CertificateDays = z.int().min(1).max(CERTIFICATE_DAYS_MOST)

export const Secret = z.string().min(1).max(1_024).meta({ writeOnly: true })

/** Fields that every connection shows. */
export const CommonConnection = extended(Resource, () => ({
  name: z.string(),
  description: z.string().optional(),
  category: z.enum(CATEGORIES),
  resource_url: z.string(),
  products: z.array(z.string()),
  labels: Labels,
  meta: FreeJson.optional(),
  ...lastTest(),
  last_connection_at: Time.optional(),
  ready: z.boolean().meta({ description: 'whether the last test was ok' }),
}))

/** Fields of the body of any connection. */
const Given = strictObject(() => ({
  description: FreeText.optional(),
  labels: Labelled.optional(),
  meta: FreeJson.optional(),
  products: Products.default([OWN_PRODUCT]),
}))
export type GivenOfConnection = z.infer<typeof Given>
const Changed = strictObject(() => ({
  description: FreeText.nullable().optional(),
  products: Products.optional(),
  labels: Labelled.nullable().optional().meta({ description: 'replaces all labels' }),
  meta: FreeJson.nullable().optional(),
}))
export type ChangedOfConnection = z.infer<typeof Changed>

/**
 * The three bodies of one kind: for a test without storing, to create, to change.
 * @param own the kind's own fields
 * @param changes the same fields in an update: `null` removes
 */
export function connectionBodies<O extends z.ZodRawShape, C extends z.ZodRawShape>(own: O, changes: C) {
  const unsaved = z.strictObject({ ...Given.shape, ...own })
  return {
    unsaved,
    create: z.strictObject({ ...unsaved.shape, name: Name }),
    /** Rules between fields apply to the record after the change, not only to the changed fields. */
    update: z
      .strictObject({ ...Changed.shape, ...changes })
      .meta({ description: 'The changed connection must satisfy the rules of its creation.' }),
  }
}
