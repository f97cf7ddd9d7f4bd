import { hash, type KeyObject, type X509Certificate } from 'node:crypto'
import type { AttestationTrust } from '../../../shared/attestation/trust.ts'
import { der, derInteger, oid, TAG } from '../../../shared/crypto/asn1/der.ts'
import { extension, sequence } from '../../../shared/crypto/x509/encoding.ts'
import { certificateOf, ecPair, rsaPair, testAuthority, type Pair, type TestAuthority } from './certificates.ts'
import { bytesField, numberField } from './protobuf.ts'
import { reportMessage, type ReportOptions } from './snp.ts'
import {
  agileLog,
  BANK_IDS,
  measured,
  publicArea,
  quoteOf,
  signature,
  ucs2,
  type BankName,
  type QuoteFields,
  type TestEvent,
} from './tpm.ts'

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => (made ??= make())
}

/** The authorities of evidence in this process, and keys that are slow to make. */
export const lab = once(() => {
  const root = testAuthority('Attestation Root')
  const processorRoot = testAuthority('ARK', { pss: true })
  const processors = testAuthority('SEV', { pss: true, below: processorRoot })
  const loaded = testAuthority('SEV-VLEK', { pss: true, below: processorRoot })
  return {
    root,
    machines: testAuthority('Attestation Intermediate', { below: root, pathLength: 0 }),
    processorRoot,
    processors,
    loaded,
    rsa: rsaPair(),
    ec: ecPair(),
    chip: ecPair('P-384'),
  }
})

/** Trust in the authorities of this process; `intermediates` are configured. */
export function labTrust(): AttestationTrust {
  const { root, machines, processorRoot, processors, loaded } = lab()
  return {
    machines: { roots: [root.certificate], intermediates: [machines.certificate] },
    processors: {
      roots: [processorRoot.certificate],
      intermediates: [processors.certificate, loaded.certificate],
    },
  }
}

export interface Identity {
  readonly zone: string
  readonly projectNumber: bigint
  readonly projectId: string
  readonly instanceId: bigint
  readonly instanceName: string
  readonly production: boolean | undefined
}

export const IDENTITY: Identity = {
  zone: 'europe-west3-a',
  projectNumber: 492_817_337_510n,
  projectId: 'payments-prod',
  instanceId: 9_007_199_254_740_993_123n,
  instanceName: 'vault-1',
  production: true,
}

const utf8 = (text: string): Buffer => der(TAG.utf8String, Buffer.from(text))

export const identityExtension = (identity: Identity): Buffer =>
  extension(
    '1.3.6.1.4.1.11129.2.1.21',
    false,
    sequence(
      utf8(identity.zone),
      derInteger(identity.projectNumber),
      utf8(identity.projectId),
      derInteger(identity.instanceId),
      utf8(identity.instanceName),
      der(
        0xa0,
        sequence(
          der(0xa0, derInteger(0)),
          ...(identity.production === undefined
            ? []
            : [der(0xa1, der(TAG.boolean, Buffer.of(identity.production ? 0xff : 0)))]),
        ),
      ),
    ),
  )

/** Critical, with a directory name, as attestation keys of the cloud have it; their subject is empty. */
const directoryName = (): Buffer =>
  extension(
    '2.5.29.17',
    true,
    sequence(der(0xa4, sequence(der(TAG.set, sequence(oid('2.5.4.11'), der(TAG.utf8String, Buffer.from('vault-1'))))))),
  )

export interface LeafOptions {
  readonly authority?: TestAuthority
  readonly key: KeyObject
  readonly identity?: Identity | undefined
  readonly until?: Date | undefined
  readonly from?: Date | undefined
  readonly extensions?: readonly Buffer[]
}

/** The certificate of an attestation key. */
export const keyCertificate = ({ authority = lab().machines, key, identity, extensions = [], ...dates }: LeafOptions) =>
  certificateOf({
    subject: '',
    publicKey: key,
    issuer: authority,
    ...dates,
    extensions: [directoryName(), ...(identity ? [identityExtension(identity)] : []), ...extensions],
  })

/** Types of events. */
export const TYPE = { noAction: 3, separator: 4, version: 8, nonHost: 0x11, variable: 0x8000_0001 } as const

export const hostInfo = (technology: number): Buffer =>
  Buffer.concat([Buffer.from('GCE NonHostInfo\0'), Buffer.of(technology), Buffer.alloc(15)])

const secureBootVariable = (on: boolean): Buffer =>
  Buffer.concat([
    Buffer.from('61dfe48bca93d211aa0d00e098032b8c', 'hex'),
    Buffer.from([10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.from('SecureBoot', 'utf16le'),
    Buffer.of(on ? 1 : 0),
  ])

const ZEROS = Buffer.alloc(4)

/** The log of a machine. */
export const bootEvents = (technology = 1, secureBoot = true): TestEvent[] => [
  { pcr: 0, type: TYPE.version, data: ucs2('GCE Virtual Firmware v2') },
  { pcr: 0, type: TYPE.nonHost, data: hostInfo(technology) },
  { pcr: 7, type: TYPE.variable, data: secureBootVariable(secureBoot) },
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((pcr) => ({ pcr, type: TYPE.separator, data: ZEROS })),
  { pcr: 4, type: 0x8000_0003, data: Buffer.from('boot loader') },
]

export interface EvidenceOptions {
  readonly nonce: Uint8Array
  readonly key?: Pair
  /** the key that signs the quotes, if it is another one */
  readonly signer?: KeyObject
  readonly attributes?: number
  /** banks of the quotes */
  readonly banks?: readonly BankName[]
  /** hash of the signatures */
  readonly signatureHash?: BankName
  /** what the machine measured */
  readonly events?: readonly TestEvent[]
  readonly locality?: number
  /** the log that it sends, if it is another one */
  readonly log?: Buffer
  readonly identity?: Identity | undefined
  readonly certificate?: X509Certificate | undefined
  readonly intermediates?: readonly Buffer[]
  readonly quote?: (fields: QuoteFields) => QuoteFields
  /** changes the values beside a quote */
  readonly pcrs?: (values: Map<number, Buffer>) => void
  readonly report?: Partial<ReportOptions> & { readonly certificate?: X509Certificate }
  /** fields that are left out */
  readonly without?: readonly number[]
  /** further bytes of the message */
  readonly more?: Buffer
}

export const LOG_BANKS: readonly BankName[] = ['sha1', 'sha256', 'sha384']

function quoteField(bank: BankName, options: EvidenceOptions, key: Pair, events: readonly TestEvent[]): Buffer {
  const { signatureHash = 'sha256', quote: change = (fields) => fields, pcrs = () => undefined } = options
  const values = measured(events, bank, options.locality)
  const indexes = [...values.keys()]
  const digest = hash(signatureHash, Buffer.concat([...values.values()]), 'buffer')
  const attest = quoteOf(change({ magic: 0xff54_4347, type: 0x8018, extraData: options.nonce, bank, indexes, digest }))
  pcrs(values)
  const entries = [...values].map(([pcr, value]) =>
    bytesField(2, Buffer.concat([numberField(1, BigInt(pcr)), bytesField(2, value)])),
  )
  return Buffer.concat([
    bytesField(1, attest),
    bytesField(2, signature(attest, options.signer ?? key.privateKey, signatureHash)),
    bytesField(3, Buffer.concat([numberField(1, BigInt(BANK_IDS[bank])), ...entries])),
  ])
}

/** The certificate of the chip that signs reports. */
export const chipCertificate = (authority: TestAuthority = lab().processors): X509Certificate =>
  certificateOf({ subject: 'SEV-VCEK', publicKey: lab().chip.publicKey, issuer: authority })

function reportField({ nonce, report }: EvidenceOptions): Buffer[] {
  if (report === undefined) return []
  const { certificate = chipCertificate(report.signer === 1 ? lab().loaded : undefined), signer = 0, ...rest } = report
  const message = reportMessage({ key: lab().chip.privateKey, reportData: nonce, signer, ...rest })
  const chain = bytesField(signer === 1 ? 6 : 1, certificate.raw)
  return [bytesField(8, Buffer.concat([bytesField(1, message), bytesField(2, chain)]))]
}

/** The attestation message of a machine. Without further options it is valid, and its technology is AMD SEV. */
export function evidence(options: EvidenceOptions): Buffer {
  const { key = lab().rsa, banks = LOG_BANKS, events = bootEvents(), intermediates = [] } = options
  const identity = 'identity' in options ? options.identity : IDENTITY
  const certificate = 'certificate' in options ? options.certificate : keyCertificate({ key: key.publicKey, identity })
  const fields: readonly (readonly [number, Buffer])[] = [
    [1, bytesField(1, publicArea(key.publicKey, options.attributes))],
    ...banks.map((bank) => [2, bytesField(2, quoteField(bank, options, key, events))] as const),
    [3, bytesField(3, options.log ?? agileLog(events, LOG_BANKS))],
    [4, bytesField(4, bytesField(2, Buffer.from('a project that the client claims')))],
    ...(certificate === undefined ? [] : [[6, bytesField(6, certificate.raw)] as const]),
    ...intermediates.map((bytes) => [7, bytesField(7, bytes)] as const),
    ...reportField(options).map((bytes) => [8, bytes] as const),
  ]
  const sent = fields.filter(([number]) => !(options.without ?? []).includes(number)).map(([, bytes]) => bytes)
  return Buffer.concat([...sent, options.more ?? Buffer.alloc(0)])
}

const pemOf = (...authorities: readonly TestAuthority[]): string =>
  authorities.map(({ certificate }) => certificate.toString()).join('')

/** The authorities of this process, as a deployment is configured with them. */
export function labTexts(): Record<
  'machine_roots' | 'machine_intermediates' | 'processor_roots' | 'processor_intermediates',
  string
> {
  const { root, machines, processorRoot, processors, loaded } = lab()
  return {
    machine_roots: pemOf(root),
    machine_intermediates: pemOf(machines),
    processor_roots: pemOf(processorRoot),
    processor_intermediates: pemOf(processors, loaded),
  }
}
