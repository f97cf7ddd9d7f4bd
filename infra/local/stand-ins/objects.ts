import { createHash, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { crc32 } from 'node:zlib'
import { serveHttp, type HttpAnswer, type HttpRequest, type Served } from '../../simulators/toolkit/loopback.ts'
import { asServiceError, ServiceError } from '../../simulators/toolkit/service-error.ts'
import { authorize as requireOwn } from './authorize.ts'
import { createObjectShelf, type ObjectShelf, type StoredObject } from './object-shelf.ts'
import { isSigned, refusalOfAddress } from './signed-address.ts'

export type Objects = Served

/** The service accepts no smaller part, except the last one. */
const LEAST_PART_BYTES = 5 * 1024 * 1024

interface Upload {
  readonly name: string
  readonly contentType: string
  readonly parts: Map<number, { readonly bytes: Buffer; readonly etag: string }>
}

interface House {
  readonly buckets: readonly string[]
  readonly shelf: ObjectShelf
  readonly uploads: Map<string, Upload>
  readonly now: () => Date
}

/**
 * A stand-in for the object store over its wire protocol: uploads in parts, deletion, and reading, with a signed
 * address or a signature header. It serves only what the functions use.
 * @param options.directory where objects are kept; default: in memory only
 * @param options.now the clock by which signed addresses expire
 */
export function startObjects(options: {
  buckets: readonly string[]
  now: () => Date
  directory?: string
}): Promise<Objects> {
  const { buckets, now, directory } = options
  const house: House = { buckets, now, shelf: createObjectShelf(directory), uploads: new Map() }
  return serveHttp((request) => Promise.resolve(answered(answer(house, request))), {
    refuse: (error) => answered(refusal(asServiceError(error, 'InternalError'))),
  })
}

const answered = (answer: HttpAnswer): HttpAnswer => ({
  ...answer,
  headers: { ...answer.headers, 'x-amz-request-id': randomUUID() },
})

const XML = { 'content-type': 'application/xml' } as const
const xml = (content: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n${content}`
const escaped = (text: string): string => text.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`)

const refusal = ({ type, message, status }: ServiceError): HttpAnswer => ({
  status,
  headers: XML,
  body: xml(`<Error><Code>${type}</Code><Message>${escaped(message)}</Message></Error>`),
})

function answer(house: House, request: HttpRequest): HttpAnswer {
  const { method, url, headers, body } = request
  const { pathname, searchParams: query } = new URL(url, 'http://host')
  const name = decodeURIComponent(pathname.slice(1))
  const [bucket = '', ...key] = name.split('/')
  authorize(house, request, query)
  if (!house.buckets.includes(bucket)) throw new ServiceError('NoSuchBucket', 'There is no such bucket.', 404)
  if (key.length === 0) throw new ServiceError('NotImplemented', 'Only objects are served here.', 501)
  const upload = query.get('uploadId')
  if (method === 'POST' && query.has('uploads')) return begin(house, name, headers['content-type'])
  if (method === 'PUT' && upload !== null)
    return takePart(house, upload, Number(query.get('partNumber')), body, headers)
  if (method === 'POST' && upload !== null) return complete(house, upload, body.toString('utf8'))
  if (method === 'DELETE' && upload === null) {
    house.shelf.remove(name)
    return { status: 204 }
  }
  if (method === 'GET') return read(house.shelf.get(name), query)
  throw new ServiceError('MethodNotAllowed', `${method} ${url} is not served here.`, 405)
}

/** Accepts a signed address or a signature header, never both. @throws ServiceError */
function authorize({ now }: House, request: HttpRequest, query: URLSearchParams) {
  const { method, url, headers } = request
  const bySignature = headers.authorization !== undefined
  if (isSigned(query)) {
    if (bySignature) throw new ServiceError('InvalidArgument', 'Only one auth mechanism allowed', 400)
    const refused = refusalOfAddress(method, url, headers.host ?? '', now())
    if (refused) throw new ServiceError(refused.code, refused.message, 403)
  } else if (bySignature) requireSignature(request)
  else throw new ServiceError('AccessDenied', 'Access Denied', 403)
}

/** The service has specific codes and statuses for missing and malformed signatures. */
function requireSignature(request: HttpRequest): void {
  try {
    requireOwn(request)
  } catch (error) {
    throw new ServiceError('SignatureDoesNotMatch', asServiceError(error).message, 403)
  }
}

function begin({ uploads }: House, name: string, contentType = 'binary/octet-stream'): HttpAnswer {
  const id = randomUUID()
  uploads.set(id, { name, contentType, parts: new Map() })
  const body = `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`
  return { status: 200, headers: XML, body: xml(body) }
}

function found({ uploads }: House, id: string): Upload {
  const upload = uploads.get(id)
  if (upload === undefined) throw new ServiceError('NoSuchUpload', 'The upload is not there, or complete.', 404)
  return upload
}

function takePart(house: House, id: string, n: number, bytes: Buffer, headers: IncomingHttpHeaders): HttpAnswer {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(bytes))
  const given = headers['x-amz-checksum-crc32']
  if (given !== undefined && given !== checksum.toString('base64'))
    throw new ServiceError('BadDigest', 'The checksum is not that of the part.')
  const etag = `"${createHash('md5').update(bytes).digest('hex')}"`
  found(house, id).parts.set(n, { bytes, etag })
  return { status: 200, headers: { etag, 'x-amz-checksum-crc32': checksum.toString('base64') } }
}

function complete(house: House, id: string, wanted: string): HttpAnswer {
  const { name, contentType, parts } = found(house, id)
  const named = [...wanted.matchAll(/<Part>.*?<\/Part>/gs)].map(([part]) => ({
    n: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: /<ETag>(.+?)</.exec(part)?.[1]?.replaceAll('&quot;', '"'),
  }))
  const chosen = named.map(({ n, etag }) => {
    const part = parts.get(n)
    if (part?.etag !== etag || part === undefined) throw new ServiceError('InvalidPart', `Part ${n} is another one.`)
    return part.bytes
  })
  if (chosen.length === 0) throw new ServiceError('MalformedXML', 'An upload has a part at least.')
  if (chosen.slice(0, -1).some(({ length }) => length < LEAST_PART_BYTES))
    throw new ServiceError('EntityTooSmall', 'A part that is not the last one is too small.')
  house.shelf.put(name, { contentType, bytes: Buffer.concat(chosen) })
  house.uploads.delete(id)
  const body = `<CompleteMultipartUploadResult><Key>${escaped(name)}</Key></CompleteMultipartUploadResult>`
  return { status: 200, headers: XML, body: xml(body) }
}

function read(object: StoredObject | undefined, query: URLSearchParams): HttpAnswer {
  if (object === undefined) throw new ServiceError('NoSuchKey', 'The specified key does not exist.', 404)
  const disposition = query.get('response-content-disposition')
  const headers = {
    'content-type': query.get('response-content-type') ?? object.contentType,
    ...(disposition !== null && { 'content-disposition': disposition }),
  }
  return { status: 200, headers, body: object.bytes }
}
