/* SPDX-License-Identifier: MIT
 * Planted: a program that runs no test. */
int main(void) {
    return 0;
}
