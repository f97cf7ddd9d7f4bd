import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { object } from '../../base/lazy-fields.ts'

const Ref = z.string()

const Component = object(() => ({
  type: z.literal('cryptographic-asset'),
  'bom-ref': Ref,
  name: z.string(),
  cryptoProperties: z.object({
    assetType: z.enum(['algorithm', 'certificate', 'protocol']),
    algorithmProperties: z
      .object({
        primitive: z.string(),
        parameterSetIdentifier: z.string().optional(),
        curve: z.string().optional(),
        cryptoFunctions: z.array(z.string()),
        classicalSecurityLevel: z.int().optional(),
        nistQuantumSecurityLevel: z.int().min(0).max(6).optional(),
      })
      .optional(),
    certificateProperties: z
      .object({
        subjectName: z.string(),
        issuerName: z.string(),
        notValidBefore: Time.optional(),
        notValidAfter: Time.optional(),
        signatureAlgorithmRef: Ref.optional(),
        certificateFormat: z.string(),
      })
      .optional(),
    protocolProperties: z
      .object({ type: z.string(), version: z.string().optional(), cryptoRefArray: z.array(Ref) })
      .optional(),
    oid: z.string().optional(),
  }),
  properties: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
}))
export type Component = z.infer<typeof Component>

/** A cryptographic bill of materials. @see https://cyclonedx.org/docs/1.6/json/ */
export const Cbom = object(() => ({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.6'),
  serialNumber: z.string(),
  version: z.int(),
  metadata: z.object({
    timestamp: Time,
    component: z.object({
      type: z.literal('application'),
      'bom-ref': Ref,
      name: z.string(),
      description: z.string(),
    }),
  }),
  components: z.array(Component),
  dependencies: z.array(z.object({ ref: Ref, dependsOn: z.array(Ref) })),
}))
export type Cbom = z.infer<typeof Cbom>
