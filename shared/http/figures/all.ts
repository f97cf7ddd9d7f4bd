import type { Sums } from '../../base/figures.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { figuresPartition } from '../../store/layout.ts'
import { queryAll, text, whole } from '../../store/table.ts'

/** All figures of an operation since the deployment was created. */
interface Figures {
  readonly function: string
  readonly operation: string
  readonly sums: Sums
}

/**
 * Figures of all functions, in order of function and operation. One read per 1 MB, which is thousands of operations.
 */
export async function allFigures(): Promise<Figures[]> {
  const items = await queryAll({ pk: figuresPartition(ROOT_DOMAIN_ID) })
  return items.map((item) => {
    const [name = '', ...words] = text(item, 'sk').split(' ')
    const sums = Object.keys(item).filter((each) => each !== 'pk' && each !== 'sk')
    return {
      function: name,
      operation: words.join(' '),
      sums: Object.fromEntries(sums.map((each) => [each, whole(item, each)])),
    }
  })
}
