import { createCertificate, deleteCertificate } from './certificates.ts'
import { createCredential, deleteCredential } from './credentials.ts'
import type { MetadataCall } from './metadata-call.ts'
import { MetadataError } from './metadata-error.ts'
import { childOf, escaped, parseXml, textOf, type Element } from './xml.ts'

/** A SOAP fault. */
export class SoapFault extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const NAMESPACE = 'http://soap.sforce.com/2006/04/metadata'
const MOST_AT_ONCE = 10

type Create = (call: MetadataCall, component: Element) => void | Promise<void>
const CREATE: Readonly<Record<string, Create>> = { Certificate: createCertificate, NamedCredential: createCredential }
type Delete = (call: MetadataCall, fullName: string) => void
const DELETE: Readonly<Record<string, Delete>> = { Certificate: deleteCertificate, NamedCredential: deleteCredential }

export interface Envelope {
  readonly sessionId: string
  /** Such as `createMetadata`. */
  readonly operation: string
  readonly request: Element
}

/** @throws SoapFault */
export function readEnvelope(text: string): Envelope {
  let envelope: Element
  try {
    envelope = parseXml(text)
  } catch (error) {
    throw new SoapFault('soapenv:Client', String(error))
  }
  const header = childOf(envelope, 'Header')
  const session = header && childOf(header, 'SessionHeader')
  const [request] = childOf(envelope, 'Body')?.children ?? []
  if (request === undefined) throw new SoapFault('soapenv:Client', 'The envelope has no body.')
  return { sessionId: (session && textOf(session, 'sessionId')) ?? '', operation: request.name, request }
}

/** Runs a call. @returns the answer's envelope @throws SoapFault */
export async function answerSoap(call: MetadataCall, { operation, request }: Envelope): Promise<string> {
  if (!call.user.permissions.includes('CustomizeApplication'))
    throw new SoapFault(
      'sf:INSUFFICIENT_ACCESS',
      'INSUFFICIENT_ACCESS: use of the Metadata API requires a user with permission',
    )
  const run = OPERATIONS[operation]
  if (run === undefined) throw new SoapFault('soapenv:Client', `No operation available for request ${operation}`)
  const results = await run(call, request)
  return envelopeOf(`<${operation}Response xmlns="${NAMESPACE}">${results.join('')}</${operation}Response>`)
}

const OPERATIONS: Readonly<Record<string, (call: MetadataCall, request: Element) => Promise<string[]>>> = {
  createMetadata: async (call, request) => {
    const components = request.children.filter(({ name }) => name === 'metadata')
    const results: string[] = []
    for (const component of fewEnough(components)) {
      const type = (component.attributes.type ?? '').replace(/^.*:/, '')
      const create = CREATE[type]
      results.push(await resultOf(textOf(component, 'fullName') ?? '', () => known(create, type)(call, component)))
    }
    return results
  },
  deleteMetadata: async (call, request) => {
    const type = textOf(request, 'type') ?? ''
    const names = request.children.filter(({ name }) => name === 'fullNames').map(({ text }) => text.trim())
    const results: string[] = []
    for (const name of fewEnough(names)) {
      results.push(await resultOf(name, () => known(DELETE[type], type)(call, name)))
    }
    return results
  },
}

function fewEnough<T>(items: readonly T[]): readonly T[] {
  if (items.length <= MOST_AT_ONCE) return items
  throw new SoapFault('sf:EXCEEDED_ID_LIMIT', `EXCEEDED_ID_LIMIT: record limit reached: ${MOST_AT_ONCE}`)
}

function known<Work>(work: Work | undefined, type: string): Work {
  if (work === undefined)
    throw new SoapFault('sf:INVALID_TYPE', `INVALID_TYPE: This type of metadata is not available: ${type}`)
  return work
}

async function resultOf(fullName: string, work: () => void | Promise<void>): Promise<string> {
  const name = `<fullName>${escaped(fullName)}</fullName>`
  try {
    await work()
    return `<result>${name}<success>true</success></result>`
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error
    const { message, status } = error
    const errors = `<message>${escaped(message)}</message><statusCode>${status}</statusCode>`
    return `<result><errors>${errors}</errors>${name}<success>false</success></result>`
  }
}

const envelopeOf = (body: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:sf="${NAMESPACE}"><soapenv:Body>${body}</soapenv:Body></soapenv:Envelope>`

export const faultEnvelope = ({ code, message }: Pick<SoapFault, 'code' | 'message'>): string =>
  envelopeOf(
    `<soapenv:Fault><faultcode>${code}</faultcode><faultstring>${escaped(message)}</faultstring></soapenv:Fault>`,
  )
