import type { Use } from '../../clouds/uses.ts'
import { counted } from '../../words/numbers.ts'

/** A box of the graph. */
export interface GraphNode {
  readonly title: string
  readonly detail: string
}

interface GraphProps {
  /** where the material is from */
  readonly from: readonly GraphNode[]
  readonly here: GraphNode
  readonly uses: readonly Use[]
}

const NODES_MOST = 6
const BOX = { width: 176, height: 44, gap: 10 }
const COLUMNS = [0, 222, 444]
const WIDTH = 620
const TOP = 24
const LETTERS_MOST = 24

const cut = (text: string): string => (text.length > LETTERS_MOST ? `${text.slice(0, LETTERS_MOST - 1)}…` : text)

const nodesOf = (uses: readonly Use[]): readonly GraphNode[] => {
  const nodes = uses.map(({ kind, count, names }) => ({ title: counted(count, kind), detail: names.join(', ') }))
  if (nodes.length <= NODES_MOST) return nodes
  return [...nodes.slice(0, NODES_MOST - 1), { title: `and ${nodes.length - NODES_MOST + 1} more`, detail: '' }]
}

/** Offset of the middle of a box from the top, with its column in the middle of the height. */
const middleOf = (index: number, total: number, height: number): number =>
  TOP + (height - total * (BOX.height + BOX.gap) + BOX.gap) / 2 + index * (BOX.height + BOX.gap) + BOX.height / 2

/** The origin of a key's material, the key, and everything that uses it. The list beside it has the same facts. */
export function Graph({ from, here, uses }: GraphProps) {
  const columns = [from, [here], nodesOf(uses)]
  const height = Math.max(...columns.map(({ length }) => length)) * (BOX.height + BOX.gap) - BOX.gap
  const at = (column: number, index: number): number => middleOf(index, columns[column]?.length ?? 1, height)
  const line = (column: number, start: number, end: number): string => {
    const [x, y] = [(COLUMNS[column] ?? 0) + BOX.width, COLUMNS[column + 1] ?? 0]
    const half = (x + y) / 2
    return `M${x} ${start}C${half} ${start} ${half} ${end} ${y} ${end}`
  }
  return (
    <svg class="graph" viewBox={`0 0 ${WIDTH} ${TOP + height}`} aria-hidden="true">
      {['Material from', 'This key', 'Used by'].map((title, column) =>
        columns[column]?.length === 0 ? null : (
          <text key={title} class="head" x={COLUMNS[column]} y={12}>
            {title}
          </text>
        ),
      )}
      {columns[0]?.map((_, index) => (
        <path key={index} d={line(0, at(0, index), at(1, 0))} />
      ))}
      {columns[2]?.map((_, index) => (
        <path key={index} d={line(1, at(1, 0), at(2, index))} />
      ))}
      {columns.map((nodes, column) =>
        nodes.map(({ title, detail }, index) => {
          const [x, middle] = [COLUMNS[column] ?? 0, at(column, index)]
          return (
            <g key={`${column} ${title}`} class={column === 1 ? 'here' : ''}>
              <rect {...{ x, y: middle - BOX.height / 2, width: BOX.width, height: BOX.height, rx: 4 }} />
              <text class="name" x={x + 10} y={middle - 3}>
                {cut(title)}
              </text>
              <text x={x + 10} y={middle + 13}>
                {cut(detail)}
              </text>
            </g>
          )
        }),
      )}
    </svg>
  )
}
