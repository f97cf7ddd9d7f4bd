import { measureRefresh } from '../synchronize.ts'
import type { Figure } from '../figure.ts'
import { benchedDatacust } from './cloud.ts'

export const measure = (): Promise<Figure[]> => measureRefresh(benchedDatacust, 0.6)
