import { parseJsonObject } from '../../toolkit/aws/json-service.ts'
import type { HttpAnswer } from '../../toolkit/loopback.ts'
import type { ServiceError } from '../../toolkit/service-error.ts'
import type { Input } from '../../toolkit/aws/input.ts'
import { element, type Xml } from './xml.ts'

/** An answer with its text. */
export interface Answer extends HttpAnswer {
  readonly body: string
}

/** How a service spells requests, answers and refusals. */
export interface Protocol {
  readonly read: (body: Buffer) => Input
  readonly answer: (operation: string, output: object, requestId: string) => Answer
  readonly refuse: (error: ServiceError, requestId: string) => Answer
}

/** Names of shared refusals, as one service spells them. */
type Names = Readonly<Record<string, { readonly code: string; readonly status: number }>>

const named = (names: Names, { type, status }: ServiceError) => names[type] ?? { code: type, status }

/** JSON 1.1: the error's name is in the body. */
export function jsonProtocol(names: Names): Protocol {
  const headers = (requestId: string) => ({
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': requestId,
  })
  return {
    read: parseJsonObject,
    answer: (_operation, output, requestId) => ({
      status: 200,
      headers: headers(requestId),
      body: JSON.stringify(output),
    }),
    refuse: (error, requestId) => {
      const { code, status } = named(names, error)
      const body = JSON.stringify({ __type: code, message: error.message })
      return { status, headers: headers(requestId), body }
    },
  }
}

const REST_NAMES: Names = {
  ThrottlingException: { code: 'TooManyRequestsException', status: 429 },
  InternalFailure: { code: 'InternalServerException', status: 500 },
  InvalidMarkerException: { code: 'ValidationException', status: 400 },
  AccessDeniedException: { code: 'AccessDeniedException', status: 403 },
}

/** REST JSON: the error's name is in a header. @param done status of a successful answer */
export const restProtocol = (done = 200): Protocol => ({
  read: parseJsonObject,
  answer: (_operation, output, requestId) => ({
    status: done,
    headers: { 'content-type': 'application/json', 'x-amzn-requestid': requestId },
    body: JSON.stringify(output),
  }),
  refuse: (error, requestId) => {
    const { code, status } = named(REST_NAMES, error)
    return {
      status,
      headers: { 'content-type': 'application/json', 'x-amzn-requestid': requestId, 'x-amzn-errortype': `${code}:` },
      body: JSON.stringify({ message: error.message }),
    }
  },
})

const QUERY_NAMES: Names = {
  AccessDeniedException: { code: 'AccessDenied', status: 403 },
  ExpiredTokenException: { code: 'ExpiredToken', status: 403 },
  IncompleteSignatureException: { code: 'IncompleteSignature', status: 400 },
  InternalFailure: { code: 'InternalFailure', status: 500 },
  InvalidMarkerException: { code: 'ValidationError', status: 400 },
  InvalidSignatureException: { code: 'SignatureDoesNotMatch', status: 403 },
  MissingAuthenticationTokenException: { code: 'MissingAuthenticationToken', status: 403 },
  ThrottlingException: { code: 'Throttling', status: 400 },
  UnknownOperationException: { code: 'InvalidAction', status: 400 },
  UnrecognizedClientException: { code: 'InvalidClientTokenId', status: 403 },
  ValidationException: { code: 'ValidationError', status: 400 },
}

/** Requests are forms, answers are XML. */
export function queryProtocol(namespace: string): Protocol {
  const answer = (status: number, name: string, requestId: string, content: Xml): Answer => ({
    status,
    headers: { 'content-type': 'text/xml', 'x-amzn-requestid': requestId },
    body: element(name, content, ` xmlns="${namespace}"`),
  })
  return {
    read: (body) => {
      const { Action: _, Version: __, ...input } = Object.fromEntries(new URLSearchParams(body.toString('utf8')))
      return input
    },
    answer: (operation, output, RequestId) =>
      answer(200, `${operation}Response`, RequestId, {
        [`${operation}Result`]: output as Xml,
        ResponseMetadata: { RequestId },
      }),
    refuse: (error, RequestId) => {
      const { code, status } = named(QUERY_NAMES, error)
      const Type = status < 500 ? 'Sender' : 'Receiver'
      const Error = { Type, Code: code, Message: error.message }
      return answer(status, 'ErrorResponse', RequestId, { Error, RequestId })
    },
  }
}
