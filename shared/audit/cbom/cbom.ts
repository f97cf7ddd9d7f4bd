import { randomUUID } from 'node:crypto'
import { defined } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import type { KeyKindUsed, UsedCertificate } from './inventory.ts'
import type { Cbom, Component } from './model.ts'
import { OWN_ALGORITHMS, PROTOCOLS_SPOKEN } from './of-the-service.ts'
import { strengthOf } from './strength.ts'
import { nameOfKind, tallied, type Tallied } from './tally.ts'

type Properties = NonNullable<Component['properties']>

const property = (name: string, value: string | number | undefined): Properties =>
  value === undefined ? [] : [{ name: `keymgr:${name}`, value: String(value) }]

export const refOf = (kind: KeyKindUsed): string => `algorithm/${nameOfKind(kind)}`

/** An algorithm with its parameters; the number of its keys is a property, the keys are not listed. */
function algorithm(kind: KeyKindUsed, properties: Properties): Component {
  const { primitive, functions, oid, classical, quantum, readiness, advice } = strengthOf(kind)
  const { sizeBits, curve } = kind
  return {
    type: 'cryptographic-asset',
    'bom-ref': refOf(kind),
    name: nameOfKind(kind),
    cryptoProperties: {
      assetType: 'algorithm',
      algorithmProperties: {
        primitive,
        ...(sizeBits !== undefined && sizeBits > 0 && { parameterSetIdentifier: String(sizeBits) }),
        ...defined({ curve }),
        cryptoFunctions: [...functions],
        ...defined({ classicalSecurityLevel: classical, nistQuantumSecurityLevel: quantum }),
      },
      ...defined({ oid }),
    },
    properties: [...property('pqc', readiness), ...property('pqc:do', advice), ...properties],
  }
}

const counted = ({ places }: Tallied): Properties =>
  [...places].flatMap(([where, { count, states, endless, until }]) => [
    ...property(`keys:${where}`, count),
    ...[...states].flatMap(([state, many]) => property(`keys:${where}:state:${state}`, many)),
    ...property(`keys:${where}:without-end`, endless),
    ...property(`keys:${where}:until`, until),
  ])

const certificate = (one: UsedCertificate): Component => ({
  type: 'cryptographic-asset',
  'bom-ref': `certificate/${one.name}`,
  name: one.name,
  cryptoProperties: {
    assetType: 'certificate',
    certificateProperties: {
      subjectName: one.subject,
      issuerName: one.issuer,
      ...defined({ notValidBefore: one.notBefore, notValidAfter: one.notAfter }),
      ...(one.key && { signatureAlgorithmRef: refOf(one.key) }),
      certificateFormat: 'X.509',
    },
  },
  properties: [
    ...property('certificates:issued', one.issued),
    ...property('pqc', one.key === undefined ? 'unknown' : strengthOf(one.key).readiness),
  ],
})

const protocol = ({ name, type, version, uses, readiness, advice }: (typeof PROTOCOLS_SPOKEN)[number]): Component => ({
  type: 'cryptographic-asset',
  'bom-ref': `protocol/${name}`,
  name,
  cryptoProperties: {
    assetType: 'protocol',
    protocolProperties: { type, ...defined({ version }), cryptoRefArray: uses.map(refOf) },
  },
  properties: [...property('pqc', readiness), ...property('pqc:do', advice)],
})

/** Components by reference. Duplicates are merged into one with the properties of both. */
function merged(components: readonly Component[]): Component[] {
  const byRef = new Map<string, Component>()
  for (const one of components) {
    const known = byRef.get(one['bom-ref'])
    const own = (known?.properties ?? []).map(({ name, value }) => `${name}=${value}`)
    const added = (one.properties ?? []).filter(({ name, value }) => !own.includes(`${name}=${value}`))
    byRef.set(one['bom-ref'], known ? { ...known, properties: [...(known.properties ?? []), ...added] } : one)
  }
  return [...byRef.values()]
}

/** The cryptographic bill of materials of the caller's domain. @see CycloneDX 1.6, ECMA-424 */
export async function cryptographicBom({ caller, now }: Pick<Context, 'caller' | 'now'>): Promise<Cbom> {
  const { domain } = caller
  const { kinds, certificates } = await tallied(domain.id)
  const components = merged([
    ...kinds.map((tally) => algorithm(tally.kind, counted(tally))),
    ...OWN_ALGORITHMS.map(({ kind, purpose }) => algorithm(kind, property('used-for', purpose))),
    ...certificates.flatMap(({ key }) => (key === undefined ? [] : [algorithm(key, [])])),
    ...certificates.map(certificate),
    ...PROTOCOLS_SPOKEN.map(protocol),
  ])
  const uses = [
    ...PROTOCOLS_SPOKEN.map(({ name, uses: kindsUsed }) => ({
      ref: `protocol/${name}`,
      dependsOn: kindsUsed.map(refOf),
    })),
    ...certificates.flatMap(({ name, key }) =>
      key === undefined ? [] : [{ ref: `certificate/${name}`, dependsOn: [refOf(key)] }],
    ),
  ]
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: now.toISOString(),
      component: { type: 'application', 'bom-ref': 'keymgr', name: 'keymgr', description: `domain ${domain.name}` },
    },
    components,
    dependencies: [{ ref: 'keymgr', dependsOn: components.map((one) => one['bom-ref']) }, ...uses],
  }
}
