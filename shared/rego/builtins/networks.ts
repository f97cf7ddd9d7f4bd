import { RegoObject, RegoSet, isArray } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError, OperandError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { allowValues } from './charging.ts'
import {
  addressText,
  containsAddress,
  containsNetwork,
  mergeRanges,
  networkOf,
  networkText,
  networksIn,
  parseAddress,
  parseNetwork,
  rangeOf,
} from './cidr.ts'
import type { Network, Range } from './cidr.ts'
import { elementsOf, mustBe, stringOperand } from './operands.ts'
import { URIS } from './uris.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** Reading an address costs about this many steps. */
const ADDRESS_STEPS = 8

/** The reference's message names operand 1 regardless of the network's position. */
function network(value: Value, context: BuiltinContext): Network {
  if (typeof value !== 'string') throw new OperandError(1, mustBe('string', value))
  context.charge(ADDRESS_STEPS)
  const found = parseNetwork(value)
  if (found === undefined) throw new BuiltinError(`invalid CIDR address: ${value}`)
  return found
}

/** Whether a network contains an address or a whole other network. */
function containing(outer: Value, inner: Value, context: BuiltinContext): boolean {
  const whole = network(outer, context)
  if (typeof inner !== 'string') throw new OperandError(1, mustBe('string', inner))
  context.charge(ADDRESS_STEPS)
  const address = parseAddress(inner)
  if (address !== undefined) return containsAddress(whole, address)
  const part = parseNetwork(inner)
  if (part === undefined)
    throw new BuiltinError(`not a valid textual representation of an IP address or CIDR: ${inner}`)
  return containsNetwork(whole, part)
}

const contains: Evaluate = ([outer = null, inner = null], context) => containing(outer, inner, context)

const intersects: Evaluate = ([first = null, second = null], context) => {
  const [a, b] = [network(first, context), network(second, context)]
  return containsAddress(a, b) || containsAddress(b, a)
}

/** Networks of one operand, each with its representation in the result: its index, its key, or the element itself. */
function* candidates(value: Value, position: number): Generator<readonly [network: Value, index: Value]> {
  const first = (element: Value): Value => {
    const found = typeof element === 'string' ? element : isArray(element) ? element[0] : undefined
    if (found === undefined) throw new BuiltinError(`operand ${position}: element must be string or non-empty array`)
    return found
  }
  if (typeof value === 'string') yield [value, value]
  else if (isArray(value)) for (const [index, element] of value.entries()) yield [first(element), index]
  else if (value instanceof RegoSet) for (const element of value.elements) yield [first(element), element]
  else if (value instanceof RegoObject) for (const [key, element] of value.entries()) yield [first(element), key]
}

const containsMatches: Evaluate = ([networks = null, others = null], context) => {
  const result = new RegoSet()
  for (const [outer, outerIndex] of candidates(networks, 1))
    for (const [inner, innerIndex] of candidates(others, 2)) {
      context.charge(1)
      if (!containing(outer, inner, context)) continue
      context.allocate(3)
      result.add([outerIndex, innerIndex])
    }
  return result
}

/** Every address, the network's own and the broadcast address included. */
const expand: Evaluate = (operands, context) => {
  const whole = network(stringOperand(operands, 1), context)
  const count = 2 ** (whole.bits - whole.prefix)
  if (count > context.limits.cidrAddresses) return context.exceed('a network has too many addresses')
  allowValues(context, count, count * (whole.bits === 32 ? 12 : 30))
  return RegoSet.from(
    Array.from({ length: count }, (_, i) => addressText({ bits: whole.bits, value: whole.value + BigInt(i) })),
  )
}

/** A bare IPv4 address means the network of its class (A, B, C), as in the reference. */
function range(element: Value, context: BuiltinContext): Range {
  if (typeof element !== 'string') throw new BuiltinError('element must be string')
  context.charge(ADDRESS_STEPS)
  const address = parseAddress(element)
  if (address === undefined) return rangeOf(network(element, context))
  if (address.bits === 128) throw new BuiltinError('IPv6 invalid: needs prefix length')
  const prefix = address.value < 0x80000000n ? 8 : address.value < 0xc0000000n ? 16 : 24
  return rangeOf(networkOf(address, prefix), `${addressText(address)}/${prefix}`)
}

const merge: Evaluate = ([value = null], context) => {
  const elements = elementsOf(value)
  if (elements === undefined) throw new BuiltinError('operand must be an array')
  context.charge(elements.length * Math.ceil(Math.log2(elements.length + 2)))
  const ranges = mergeRanges(elements.map((element) => range(element, context)))
  const texts = ranges.flatMap((merged) => {
    if (merged.text !== undefined) return merged.text
    const networks = networksIn(merged).map(networkText)
    context.charge(32 * networks.length)
    return networks
  })
  allowValues(context, texts.length, texts.length * 40)
  return RegoSet.from(texts)
}

const isValid: Evaluate = ([text = null], context) => {
  context.charge(ADDRESS_STEPS)
  return typeof text === 'string' && parseNetwork(text) !== undefined
}

export const NETWORKS: readonly FunctionBuiltin[] = [
  { name: 'net.cidr_contains', arity: 2, evaluate: contains },
  { name: 'net.cidr_overlap', arity: 2, deprecated: true, evaluate: contains },
  { name: 'net.cidr_contains_matches', arity: 2, evaluate: containsMatches },
  { name: 'net.cidr_intersects', arity: 2, evaluate: intersects },
  { name: 'net.cidr_merge', arity: 1, evaluate: merge },
  { name: 'net.cidr_expand', arity: 1, evaluate: expand },
  { name: 'net.cidr_is_valid', arity: 1, evaluate: isValid },
  ...URIS,
]
