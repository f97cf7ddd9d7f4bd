import { fileOption } from '../arguments/secret-sources.ts'
import type { CommandRow, OptionRow, PositionRow } from '../command.ts'
import { isSlot } from '../find.ts'

const UUID = '3f1c2a10-5d7e-4b61-9c55-0a6f0b5f4f11'

/** An example value of a kind. */
function valueOf({ type, many, enum: [choice] = [], members = {}, path }: OptionRow): string {
  const [member] = Object.keys(members)
  if (choice !== undefined) return String(choice)
  if (many === 'map') return 'env=prod'
  if (type === 'integer' || type === 'number') return '1'
  if (member !== undefined) return `${member}=orders`
  if (type === 'json') return "'{}'"
  const name = path.at(-1) ?? ''
  return /name|identifier|alias/i.test(name) ? 'orders' : /_?id$/i.test(name) ? UUID : 'text'
}

const placed = ({ name, lookup, enum: [choice] = [] }: PositionRow): string => {
  if (choice !== undefined) return choice
  if (name === 'user_id') return 'anna'
  return lookup !== undefined || /name|^id$/.test(name) ? 'orders' : UUID
}

/** An example command line with all required options. */
export function exampleOf(word: string, { words, positions, options, isPage, method, sends }: CommandRow): string {
  const inPlace = positions.filter(({ name }) => name !== 'svc').map(placed)
  const service = positions.find(({ name }) => name === 'svc')?.enum?.[0] ?? ''
  const required = options
    .filter((each) => each.required === 'always')
    .flatMap((each) => {
      if (each.secret) return [`--${fileOption(each)}`, '-']
      return each.type === 'boolean' ? [`--${each.option}`] : [`--${each.option}`, valueOf(each)]
    })
  const list = isPage && method === 'GET' ? ['--limit', '5', '-o', 'table'] : []
  const body = sends !== undefined && options.length === 0 && !sends.includes('json') ? ['--body', '@file'] : []
  const spoken = words.map((each) => (isSlot(each) ? service : each))
  return ['keymgr', word, ...spoken, ...inPlace, ...required, ...list, ...body].join(' ')
}
